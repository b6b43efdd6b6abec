"""A stand-in function that keeps the prompts it was given."""

from raterbook.judges.clients.scripted import reply_to


class Recorder:
    def __init__(self, **fixed):
        self.fixed, self.prompts = fixed, []

    def __call__(self, messages):
        self.prompts.append(messages)
        return reply_to(messages, **self.fixed)
