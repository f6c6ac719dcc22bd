//! The hash of a pod template, which the names and labels of ReplicaSets have, and the hash of the data of ControllerRevisions.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#pod-template-hash-label>.

mod dump;
mod types;

use json_tree::Value;

/// The characters of hashes: none makes a word.
const ALPHABET: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";

/// The factor of the hash FNV of 32 bits.
const PRIME: u32 = 0x0100_0193;

/// Returns the `pod-template-hash` of a pod template. `collision_count` is the one in the status of its Deployment, if there is one.
pub(crate) fn of_template(template: &Value, collision_count: Option<i64>) -> String {
    let mut hash = Fnv::default();
    hash.write(dump::pod_template(template).as_bytes());
    if let Some(count) = collision_count {
        let mut bytes = [0; 8];
        bytes[..4].copy_from_slice(&(count as u32).to_le_bytes());
        hash.write(&bytes);
    }
    encode(&hash.0.to_string())
}

/// Returns the hash of the data of a ControllerRevision, as StatefulSets have them. `collision_count` is the one in the status of the
/// owner.
pub(crate) fn of_data(data: &[u8], collision_count: i64) -> String {
    let mut hash = Fnv::default();
    hash.write_1(data);
    hash.write_1(collision_count.to_string().as_bytes());
    encode(&hash.0.to_string())
}

/// Returns the hash FNV-1a of 128 bits, as Go's `fnv.New128a`.
pub(crate) fn fnv_128(text: &str) -> u128 {
    let step = |hash: u128, byte: u8| {
        (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
    };
    text.bytes().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, step)
}

/// Replaces each character by one that is safe in names.
fn encode(text: &str) -> String {
    text.bytes().map(|byte| char::from(ALPHABET[usize::from(byte) % ALPHABET.len()])).collect()
}

/// The hash FNV of 32 bits.
struct Fnv(u32);

impl Default for Fnv {
    fn default() -> Self {
        Self(0x811c_9dc5)
    }
}

impl Fnv {
    /// Writes bytes as FNV-1a has it: Go's `fnv.New32a`.
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u32::from(*byte)).wrapping_mul(PRIME);
        }
    }

    /// Writes bytes as FNV-1 has it: Go's `fnv.New32`.
    fn write_1(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.wrapping_mul(PRIME) ^ u32::from(*byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_hashes_are_those_of_go() {
        assert_eq!(fnv_128(""), 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        assert_eq!(fnv_128("a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
    }

    #[test]
    fn hashes_are_those_of_kubernetes() {
        let cases: Value =
            serde_json::from_str(include_str!("../tests/tables/pod_template_hashes.json")).unwrap();
        for case in cases.as_array().unwrap() {
            let template = &case["template"];
            assert_eq!(dump::pod_template(template), case.text("dump"));
            let count = case.get("collisionCount").and_then(Value::as_i64);
            assert_eq!(of_template(template, count), case.text("hash"));
        }
    }

    #[test]
    fn data_have_the_hash_that_kubernetes_gives_them() {
        let data = br#"{"spec":{"template":{"$patch":"replace","metadata":{"annotations":{"test":"value"},"labels":{"app":"foo"}},"spec":{"containers":[{"image":"test","imagePullPolicy":"Always","name":"test","resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],"dnsPolicy":"ClusterFirst","restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{},"terminationGracePeriodSeconds":30}}}}"#;
        assert_eq!(of_data(data, 0), "776999688b");
        assert_ne!(of_data(data, 1), of_data(data, 0));
    }
}
