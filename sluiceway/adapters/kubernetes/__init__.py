"""What adapters of Kubernetes tools share: objects, the YAML that Go reads, and the fold of two sides to a change."""
