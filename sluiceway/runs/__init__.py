"""What is done with stacks: preview, drift, deploy, and the pool. The same for every adapter, none named."""
