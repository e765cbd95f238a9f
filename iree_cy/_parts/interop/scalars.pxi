# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the exact conversion of Python numbers to the scalars of programs.

cdef int64_t INT64_MIN_VALUE = -INT64_MAX - 1

# Least and greatest value of each integer type.
_INTEGER_RANGES = {
    "i1": (0, 1),
    "i4": (-8, 7),
    "i8": (-(1 << 7), (1 << 7) - 1),
    "i16": (-(1 << 15), (1 << 15) - 1),
    "i32": (-(1 << 31), (1 << 31) - 1),
    "i64": (-(1 << 63), (1 << 63) - 1),
    "index": (-(1 << 63), (1 << 63) - 1),
    "ui8": (0, (1 << 8) - 1),
    "ui16": (0, (1 << 16) - 1),
    "ui32": (0, (1 << 32) - 1),
    "ui64": (0, (1 << 64) - 1),
    "si8": (-(1 << 7), (1 << 7) - 1),
    "si16": (-(1 << 15), (1 << 15) - 1),
    "si32": (-(1 << 31), (1 << 31) - 1),
    "si64": (-(1 << 63), (1 << 63) - 1),
}


# `value` as a Python number: NumPy's scalars and 0-d arrays are unwrapped.
cdef object plain_number(str subject, str wanted, object value):
    if isinstance(value, (int, float)) and type(value) in (int, float, bool):
        return value
    shape = getattr(value, "shape", None)
    item = getattr(value, "item", None)
    if shape is not None and item is not None:
        if len(shape) != 0:
            raise _type_error(f"{subject}: wants {wanted}, and was given an array of shape {_quote(tuple(shape), 50)}")
        number = item()
        if not isinstance(number, (int, float, complex)) and hasattr(number, "__float__"):
            # A scalar of ml_dtypes.
            number = float(number)
        return number
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    try:
        if hasattr(value, "__index__"):
            return PyNumber_Index(value)
        if hasattr(value, "__float__") and not isinstance(value, (str, bytes)):
            return float(value)
    except Exception as error:
        raise _type_error(
            f"{subject}: wants {wanted}, and the given {_type_name(value)} has no number: {_one_line(error, 60)}"
        ) from error
    return value


# `value` as an int of [low, high], or an error that begins with `subject`.
cdef object exact_int(str subject, str wanted, object value, object low, object high):
    number = plain_number(subject, wanted, value)
    if isinstance(number, float):
        if number != number or number in (float("inf"), float("-inf")) or number != int(number):
            raise _value_error(f"{subject}: wants {wanted}, and {_quote(number, 40)} is no integer")
    elif not isinstance(number, int):
        raise _type_error(f"{subject}: wants {wanted}, and was given a value of type {_type_name(value)}")
    given = number
    number = int(number)
    if not low <= number <= high:
        raise _value_error(f"{subject}: {_quote(given, 30)} does not fit into {wanted}, which holds {low} to {high}")
    return number


# `value` as a double that a float of the wanted width holds: rounded when it is a float, and equal
# when it is an int.
cdef object exact_float(str subject, str wanted, object value):
    number = plain_number(subject, wanted, value)
    if isinstance(number, int):
        try:
            result = float(number)
        except OverflowError:
            raise _value_error(f"{subject}: {_quote(number, 40)} does not fit into {wanted}") from None
        if int(result) != number or int(rounded_float(subject, wanted, result)) != number:
            raise _value_error(f"{subject}: {wanted} cannot hold {_quote(number, 40)} exactly; pass a float to have it rounded")
        return result
    if not isinstance(number, float):
        raise _type_error(f"{subject}: wants {wanted}, and was given a value of type {_type_name(value)}")
    rounded_float(subject, wanted, number)
    return number


# `number` as a float of the wanted width.
cdef double rounded_float(str subject, str wanted, double number) except? -1:
    cdef double result = number
    cdef bint is_finite = number - number == 0
    if not is_finite or wanted == "f64":
        return number
    if wanted == "f32":
        result = <double><float>number
    elif wanted == "f16":
        result = half_value(half_bits(number))
    elif wanted == "bf16":
        result = bfloat_value(bfloat_bits(number))
    if result - result != 0:
        raise _value_error(f"{subject}: {number!r} does not fit into {wanted}")
    return result


cdef extern from *:
    """
    #include <math.h>
    // IEEE binary16 from double, rounded to nearest even.
    static uint16_t iree_cy_half_bits(double value) {
      uint64_t bits;
      memcpy(&bits, &value, sizeof(bits));
      uint16_t sign = (uint16_t)((bits >> 48) & 0x8000u);
      double magnitude = fabs(value);
      if (magnitude != magnitude) return (uint16_t)(sign | 0x7E00u);
      if (magnitude >= 65520.0) return (uint16_t)(sign | 0x7C00u);
      if (magnitude < 6.103515625e-05) {
        // Subnormal: steps of 2^-24. nearbyint rounds half to even.
        return (uint16_t)(sign | (uint16_t)nearbyint(magnitude * 16777216.0));
      }
      int exponent;
      double fraction = frexp(magnitude, &exponent);  // In [0.5, 1).
      uint32_t mantissa = (uint32_t)nearbyint(fraction * 2048.0);
      // A carry into the next exponent is what the addition does by itself.
      return (uint16_t)(sign + (uint16_t)(((exponent + 14) << 10) + (int)(mantissa - 1024u)));
    }
    static double iree_cy_half_value(uint16_t bits) {
      int exponent = (bits >> 10) & 0x1F;
      int mantissa = bits & 0x3FF;
      double result = exponent == 0 ? ldexp(mantissa, -24)
                      : exponent == 31 ? (mantissa ? NAN : INFINITY)
                                       : ldexp(mantissa + 1024, exponent - 25);
      return bits & 0x8000u ? -result : result;
    }
    // bfloat16 from double by way of float, rounded to nearest even.
    static uint16_t iree_cy_bfloat_bits(double value) {
      float single = (float)value;
      uint32_t bits;
      memcpy(&bits, &single, sizeof(bits));
      if (single != single) return (uint16_t)((bits >> 16) | 0x40u);
      return (uint16_t)((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
    }
    static double iree_cy_bfloat_value(uint16_t value) {
      uint32_t bits = (uint32_t)value << 16;
      float single;
      memcpy(&single, &bits, sizeof(single));
      return (double)single;
    }
    """
    uint16_t half_bits "iree_cy_half_bits"(double value)
    double half_value "iree_cy_half_value"(uint16_t bits)
    uint16_t bfloat_bits "iree_cy_bfloat_bits"(double value)
    double bfloat_value "iree_cy_bfloat_value"(uint16_t bits)
