"""The sets that the benchmarks preview."""

DEPLOYMENT = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-{number}
  labels:
    app: web-{number}
spec:
  replicas: 0
  selector:
    matchLabels:
      app: web-{number}
  template:
    metadata:
      labels:
        app: web-{number}
    spec:
      containers:
      - name: web
        image: nginx:{tag}
        ports:
        - containerPort: 80
        env:
        - name: A
          value: "1"
        resources:
          requests: {{cpu: 10m, memory: 16Mi}}
"""


def deployments(count: int, tag: str) -> str:
    """Return ``count`` Deployments as one stream."""
    return "---\n".join(DEPLOYMENT.format(number=number, tag=tag) for number in range(count))
