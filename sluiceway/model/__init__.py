"""What every tool and every command shares. Pure: no file, clock, environment or process.

Source: ``spec/core.md``; records 0060 and 0070.
"""
