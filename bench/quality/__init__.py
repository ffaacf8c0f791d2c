"""Quality of recall on public data, with no language model in the loop.

A case is one space: the sessions of a conversation (or the documents of a collection) and the questions that
annotators asked of it, each with the turns that hold its answer.
"""
