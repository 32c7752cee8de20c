"""An adapter of Sluiceway from another package, and the toy tool that it serves."""
