"""The oldest versions that are served (``spec/helm.md``; records 0058 and 0069)."""

HELM = (3, 18, 0)
PLUGIN = (3, 15, 11)
PLUGIN_NAME = "helm diff plugin"
