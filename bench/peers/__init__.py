"""The same questions through Bethink and through systems that others use for the same purpose.

Every system runs in a process and a virtual environment of its own and is asked through one small contract
(`bench.peers.workers.contract`), so that none of them can tell the others' packages apart from its own.
"""
