//! The trace and commands as JSON, for whoever does not read packets: programs in other languages, people, lines of a stream.
//! See `docs/trace.md`.

/// Objects, which are JSON inside of JSON.
pub(crate) mod raw {
    use bytes::Bytes;
    use serde::de::Error as _;
    use serde::ser::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_json::value::RawValue;

    pub(crate) fn serialize<S: Serializer>(json: &Bytes, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            return json.serialize(serializer);
        }
        let text = std::str::from_utf8(json).map_err(S::Error::custom)?;
        serde_json::from_str::<&RawValue>(text).map_err(S::Error::custom)?.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        if !deserializer.is_human_readable() {
            return Bytes::deserialize(deserializer);
        }
        let raw = Box::<RawValue>::deserialize(deserializer).map_err(D::Error::custom)?;
        Ok(Bytes::from(Box::<str>::from(raw).into_string()))
    }
}

/// Times in milliseconds, to the microsecond: JavaScript's `Date` takes those since the Unix epoch.
pub(crate) mod milliseconds {
    use std::time::Duration;

    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// The most microseconds that a float tells apart.
    const MOST: f64 = (1_u64 << 53) as f64;

    pub(crate) fn serialize<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            (time.as_micros() as f64 / 1e3).serialize(serializer)
        } else {
            time.serialize(serializer)
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        if deserializer.is_human_readable() {
            let milliseconds = f64::deserialize(deserializer)?;
            let microseconds = (milliseconds * 1e3).round();
            if !(0.0..=MOST).contains(&microseconds) {
                return Err(D::Error::custom(format_args!("{milliseconds} milliseconds are no time")));
            }
            Ok(Duration::from_micros(microseconds as u64))
        } else {
            Duration::deserialize(deserializer)
        }
    }
}
