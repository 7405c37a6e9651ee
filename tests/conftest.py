"""What all tests share."""

import gc
import signal


def pytest_configure():
    """Processes that tests start can be interrupted, in a background job, too.

    A shell starts those with SIGINT ignored, and so would be what they start.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish():
    """What is there before the first test stays: do not look for garbage in it again and again."""
    gc.collect()
    gc.freeze()
