"""The command lines of a local control plane, and the files it starts from (as envtest and kubeadm start them)."""

import base64
import secrets
from dataclasses import dataclass
from pathlib import Path

from recorder.clusters import kubeconfig
from recorder.clusters.files import write_private

SERVICE_RANGE = "10.96.0.0/16"
"""kind's range of cluster IPs: its first address is printed by every dry run of a Service."""

ADMIN = "admin"
CONTROLLERS = "system:kube-controller-manager"
SCHEDULER = "system:kube-scheduler"
NODES = "nodes"

_MASTERS = "system:masters"
# The controllers would else speak as a service account each, made one after the other: four seconds of every start.
_GROUPS = {ADMIN: _MASTERS, CONTROLLERS: _MASTERS, SCHEDULER: "", NODES: _MASTERS}

# Relative to the working directory: a unix socket needs no free port, nobody else can reach it, and its path can't be
# longer than the system allows. etcd insists on the form host:port; the names are those of the socket files.
_ETCD = "unix://etcd:0"
_ETCD_PEER = "unix://etcd-peer:0"

_P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
_EC_KEY_HEAD = bytes.fromhex("30310201010420")  # SEQUENCE { INTEGER 1, OCTET STRING of 32 bytes,
_EC_KEY_TAIL = bytes.fromhex("a00a06082a8648ce3d030107")  # [0] OBJECT IDENTIFIER prime256v1 }


@dataclass(frozen=True, slots=True)
class Layout:
    """The files of one control plane, all in its private ``directory``."""

    directory: Path

    @property
    def ca_file(self) -> Path:
        """The certificate that the API server makes for itself when it first starts, with the one that signed it."""
        return self.directory / "certs" / "apiserver.crt"

    @property
    def service_account_key(self) -> Path:
        """The private key that signs the tokens of service accounts."""
        return self.directory / "service-account.key"

    @property
    def tokens(self) -> Path:
        """The tokens of the users below, in the API server's CSV."""
        return self.directory / "tokens.csv"

    def kubeconfig(self, user: str) -> Path:
        """Return where the kubeconfig of ``user`` is; the admin's is the one to be used."""
        return self.directory / ("kubeconfig" if user == ADMIN else f"{user.replace(':', '-')}.kubeconfig")


def write_secrets(layout: Layout) -> dict[str, str]:
    """Write what the API server needs before it starts; return the token of each user.

    Tokens and a hand-made key rather than certificates: they need neither openssl nor a library for cryptography.
    """
    tokens = {user: secrets.token_urlsafe(32) for user in _GROUPS}
    rows = [f'{tokens[user]},{user},{user},"{group}"' for user, group in _GROUPS.items()]
    write_private(layout.tokens, "\n".join(rows) + "\n")
    write_private(layout.service_account_key, elliptic_curve_key())
    return tokens


def elliptic_curve_key() -> str:
    """Return a new P-256 private key in PEM (SEC 1): a random number and the name of its curve, nothing to compute."""
    number = 1 + secrets.randbelow(_P256_ORDER - 1)
    der = _EC_KEY_HEAD + number.to_bytes(32, "big") + _EC_KEY_TAIL
    body = base64.encodebytes(der).decode("ascii")
    return f"-----BEGIN EC PRIVATE KEY-----\n{body}-----END EC PRIVATE KEY-----\n"


def write_kubeconfigs(layout: Layout, *, context: str, server: str, tokens: dict[str, str]) -> None:
    """Write the kubeconfig of each user. Everyone knows the server by the certificate it made for itself."""
    for user, token in tokens.items():
        path = layout.kubeconfig(user)
        kubeconfig.write(path, context=context, server=server, ca_file=layout.ca_file, token=token)


def etcd(binary: Path) -> list[str]:
    """Return etcd's command line. Its data is thrown away, so it need not wait for the disk."""
    return [
        str(binary),
        "--data-dir=etcd",
        "--unsafe-no-fsync",
        f"--listen-client-urls={_ETCD}",
        f"--advertise-client-urls={_ETCD}",
        f"--listen-peer-urls={_ETCD_PEER}",
        f"--initial-advertise-peer-urls={_ETCD_PEER}",
        f"--initial-cluster=default={_ETCD_PEER}",
    ]


def apiserver(binary: Path, layout: Layout, *, port: int) -> list[str]:
    """Return kube-apiserver's command line, serving on loopback at ``port``."""
    return [
        str(binary),
        f"--etcd-servers={_ETCD}",
        f"--secure-port={port}",
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        # The endpoints of the Service "kubernetes" may not be a loopback address, and no pod ever calls it.
        "--endpoint-reconciler-type=none",
        f"--cert-dir={layout.ca_file.parent}",
        f"--service-account-key-file={layout.service_account_key}",
        f"--service-account-signing-key-file={layout.service_account_key}",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--token-auth-file={layout.tokens}",
        "--authorization-mode=Node,RBAC",
        "--enable-admission-plugins=NodeRestriction",
        "--allow-privileged=true",
        f"--service-cluster-ip-range={SERVICE_RANGE}",
    ]


def controller_manager(binary: Path, layout: Layout) -> list[str]:
    """Return kube-controller-manager's command line: it serves nothing, so that it needs no port."""
    return [
        str(binary),
        f"--kubeconfig={layout.kubeconfig(CONTROLLERS)}",
        f"--service-account-private-key-file={layout.service_account_key}",
        f"--root-ca-file={layout.ca_file}",
        f"--service-cluster-ip-range={SERVICE_RANGE}",
        # kwok's heartbeat comes every ten minutes or a little later (tried). A node that was given up once keeps its
        # pods from being ready for ever, so none is.
        "--node-monitor-grace-period=240h",
        "--leader-elect=false",
        "--secure-port=0",
    ]


def scheduler(binary: Path, layout: Layout) -> list[str]:
    """Return kube-scheduler's command line: it serves nothing either."""
    return [
        str(binary),
        f"--kubeconfig={layout.kubeconfig(SCHEDULER)}",
        "--leader-elect=false",
        "--secure-port=0",
    ]


def kwok(binary: Path, layout: Layout) -> list[str]:
    """Return kwok's command line: it plays the kubelet of every node, so that pods become ready without running."""
    return [str(binary), f"--kubeconfig={layout.kubeconfig(NODES)}", "--manage-all-nodes=true"]
