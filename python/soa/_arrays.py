"""What counts as an array of numbers."""
import numpy as np


def real_array(x) -> np.ndarray:
    """x as float64 in C order. Real numbers of every kind are converted; text and complex numbers are refused."""
    array = np.asarray(x)
    if array.dtype.kind not in "fiubO":
        raise TypeError(f"an array of {array.dtype} was given, real numbers are expected")
    return np.ascontiguousarray(array, np.float64)
