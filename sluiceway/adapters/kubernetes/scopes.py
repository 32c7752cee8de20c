"""Which of the API's own kinds belong to the cluster and not to a namespace, as API servers 1.34 and 1.37 list them."""

_CLUSTER = {
    "": "Namespace Node PersistentVolume",
    "admissionregistration.k8s.io": "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding "
    "MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding "
    "ValidatingWebhookConfiguration",
    "apiextensions.k8s.io": "CustomResourceDefinition",
    "apiregistration.k8s.io": "APIService",
    "certificates.k8s.io": "CertificateSigningRequest ClusterTrustBundle",
    "flowcontrol.apiserver.k8s.io": "FlowSchema PriorityLevelConfiguration",
    "networking.k8s.io": "IPAddress IngressClass ServiceCIDR",
    "node.k8s.io": "RuntimeClass",
    "rbac.authorization.k8s.io": "ClusterRole ClusterRoleBinding",
    "resource.k8s.io": "DeviceClass DeviceTaintRule ResourceSlice",
    "scheduling.k8s.io": "PriorityClass",
    "storage.k8s.io": "CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass",
    "storagemigration.k8s.io": "StorageVersionMigration",
}
CLUSTER_KINDS = frozenset((group, kind) for group, kinds in _CLUSTER.items() for kind in kinds.split())
"""Group and kind of each."""

_SHORT_GROUPS = frozenset({"", "apps", "autoscaling", "batch", "events.k8s.io", "extensions", "policy"})


def is_of_the_cluster(group: str, kind: str) -> bool:
    """Tell whether objects of a built-in kind have no namespace; False for every kind that is not built in."""
    return (group, kind) in CLUSTER_KINDS


def is_built_in(group: str) -> bool:
    """Tell whether an API group is Kubernetes' own: not one that a CustomResourceDefinition or another server adds.

    Groups that end in ``.k8s.io`` are reserved for Kubernetes; a few of its add-ons use them for custom resources
    too, so only the groups that API servers serve by themselves count.
    """
    return group in _SHORT_GROUPS or group in _CLUSTER or group in _OWN_GROUPS


_OWN_GROUPS = frozenset(
    {"authentication.k8s.io", "authorization.k8s.io", "coordination.k8s.io", "discovery.k8s.io"}
    | {"internal.apiserver.k8s.io"}
)
