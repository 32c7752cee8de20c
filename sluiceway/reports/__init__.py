"""What a person or a program reads: text, Markdown and JSON from the model. Nothing here reaches the world."""
