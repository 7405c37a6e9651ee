"""What all tests share."""

import signal


def pytest_configure():
    """Processes that tests start can be interrupted, in a background job, too.

    A shell starts those with SIGINT ignored, and so would be what they start.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
