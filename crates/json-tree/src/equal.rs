//! Values beside what they may be equal to.

use crate::Value;

macro_rules! equal {
    ($($other:ty, $value:ident, $this:ident => $equal:expr;)*) => {
        $(
            impl PartialEq<$other> for Value {
                fn eq(&self, $this: &$other) -> bool {
                    let $value = self;
                    $equal
                }
            }

            impl PartialEq<Value> for $other {
                fn eq(&self, value: &Value) -> bool {
                    value == self
                }
            }

            impl PartialEq<$other> for &Value {
                fn eq(&self, other: &$other) -> bool {
                    **self == *other
                }
            }

            impl PartialEq<$other> for &mut Value {
                fn eq(&self, other: &$other) -> bool {
                    **self == *other
                }
            }
        )*
    };
}

equal! {
    bool, value, this => value.as_bool() == Some(*this);
    i8, value, this => value.as_i64() == Some(i64::from(*this));
    i16, value, this => value.as_i64() == Some(i64::from(*this));
    i32, value, this => value.as_i64() == Some(i64::from(*this));
    i64, value, this => value.as_i64() == Some(*this);
    isize, value, this => value.as_i64() == Some(*this as i64);
    u8, value, this => value.as_u64() == Some(u64::from(*this));
    u16, value, this => value.as_u64() == Some(u64::from(*this));
    u32, value, this => value.as_u64() == Some(u64::from(*this));
    u64, value, this => value.as_u64() == Some(*this);
    usize, value, this => value.as_u64() == Some(*this as u64);
    f64, value, this => value.as_f64() == Some(*this);
}

impl PartialEq<str> for Value {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == Some(other)
    }
}

impl PartialEq<&str> for Value {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == Some(*other)
    }
}

impl PartialEq<String> for Value {
    fn eq(&self, other: &String) -> bool {
        self.as_str() == Some(other.as_str())
    }
}

impl PartialEq<Value> for str {
    fn eq(&self, other: &Value) -> bool {
        other == self
    }
}

impl PartialEq<Value> for &str {
    fn eq(&self, other: &Value) -> bool {
        other == self
    }
}

impl PartialEq<Value> for String {
    fn eq(&self, other: &Value) -> bool {
        other == self
    }
}
