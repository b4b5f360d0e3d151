"""The games in other libraries. Each module needs the library it is named after, and nothing here loads it.

Environments that a library takes as they are need no adapter: PettingZoo and Gymnasium, and what builds on them
(Tianshou's `PettingZooEnv`, sb3-contrib). examples/ has a small program for each.
"""
