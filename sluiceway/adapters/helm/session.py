"""One Helm stack at work: its target and its commands."""

from dataclasses import dataclass

from sluiceway.adapters.base import Workplace
from sluiceway.adapters.helm import manifests
from sluiceway.adapters.helm.commands import Commands
from sluiceway.adapters.helm.failures import failed
from sluiceway.adapters.helm.target import Target
from sluiceway.model.reasons import Reason
from sluiceway.processes import Outcome


@dataclass(frozen=True, slots=True)
class Session:
    """What every step of one stack needs."""

    place: Workplace
    target: Target
    commands: Commands

    @classmethod
    def at(cls, place: Workplace) -> "Session":
        """Open a session for the stack of ``place``, and conceal what its values files hold."""
        from sluiceway.adapters.helm.values import values_of  # noqa: PLC0415 - reads YAML, which not every step needs

        target = Target.of(place.stack)
        place.conceal(values_of(place))
        return cls(place, target, Commands(target, place.directory, place.private))

    def conceal_secrets(self, printed: bytes) -> None:
        """Conceal what the Secrets of a printed text hold."""
        self.place.conceal(manifests.secret_values(printed, self.target.namespace))

    def failed(self, outcome: Outcome, doing: str) -> Reason:
        """Return why a command of this stack failed."""
        return failed(outcome, doing, release=self.target.release, namespace=self.target.namespace)
