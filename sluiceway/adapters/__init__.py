"""One room per tool. Nothing outside a tool's room knows its command lines or what it prints."""
