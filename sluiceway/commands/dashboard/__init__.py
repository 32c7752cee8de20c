"""The commands around the dashboard issue: scan, resolve, apply, settle, init, auto (``spec/dashboard.md``)."""
