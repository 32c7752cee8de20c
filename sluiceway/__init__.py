"""See what a deploy would change, what drifted and who did it; approve exactly that; deploy exactly that."""

__version__ = "0.1.0"
