"""Clusters of the recorder's own making: plain processes on loopback, or kind on Docker."""
