"""A stateful stand-in of GitHub on loopback, held to GitHub's published descriptions.

``GitHubServer`` is the server, its ``state`` what it holds, its ``faults`` what goes wrong, a ``Person`` someone who
edits on GitHub's pages; ``StandInTime`` lets a port wait by the stand-in's clock.
"""

from tests.github.standin.faults import Fault, Faults
from tests.github.standin.people import Person
from tests.github.standin.server import TOKEN, GitHubServer
from tests.github.standin.state import State
from tests.github.standin.time import StandInTime

__all__ = ["TOKEN", "Fault", "Faults", "GitHubServer", "Person", "StandInTime", "State"]
