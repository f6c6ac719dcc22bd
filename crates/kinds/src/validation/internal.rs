//! Objects as kube-apiserver holds them inside, where they have the names of Go's fields.
//!
//! Kubernetes reads every version into one internal type of a kind before it validates it (see
//! <https://kubernetes.io/docs/reference/using-api/#api-versioning>). The types of the older groups have no JSON names
//! there. So what prints such a struct, as messages about immutable fields do, prints `"ActiveDeadlineSeconds": null`.
//!
//! [`form`] makes that of a tree in the published form, with a zero value for everything that is not there.
//! [`super::go_diff`] compares two of them.

use json_tree::{Map, Value};
use schema::{Empty, Field, FieldType, Type, TypeId, Types};

/// The package of the types of the core group, the first argument of [`form`].
pub const CORE: &str = "k8s.io/api/core/v1";

/// The package of the types that print with their JSON names inside too: metadata and label selectors.
const META: &str = "k8s.io/apimachinery/pkg/apis/meta/v1";

/// Names of Go's fields that are not the JSON name with a capital letter. The first is the type that they hold in;
/// empty for all.
#[rustfmt::skip]
const NAMES: &[(&str, &str, &str)] = &[
    ("AzureDiskVolumeSource", "diskURI", "DataDiskURI"),
    ("GlusterfsPersistentVolumeSource", "endpoints", "EndpointsName"),
    ("GlusterfsVolumeSource", "endpoints", "EndpointsName"),
    ("ISCSIPersistentVolumeSource", "chapAuthDiscovery", "DiscoveryCHAPAuth"),
    ("ISCSIPersistentVolumeSource", "chapAuthSession", "SessionCHAPAuth"),
    ("ISCSIVolumeSource", "chapAuthDiscovery", "DiscoveryCHAPAuth"),
    ("ISCSIVolumeSource", "chapAuthSession", "SessionCHAPAuth"),
    ("RBDPersistentVolumeSource", "image", "RBDImage"),
    ("RBDPersistentVolumeSource", "monitors", "CephMonitors"),
    ("RBDPersistentVolumeSource", "pool", "RBDPool"),
    ("RBDPersistentVolumeSource", "user", "RadosUser"),
    ("RBDVolumeSource", "image", "RBDImage"),
    ("RBDVolumeSource", "monitors", "CephMonitors"),
    ("RBDVolumeSource", "pool", "RBDPool"),
    ("RBDVolumeSource", "user", "RadosUser"),
    ("", "apiGroup", "APIGroup"),
    ("", "apiVersion", "APIVersion"),
    ("", "awsElasticBlockStore", "AWSElasticBlockStore"),
    ("", "cel", "CEL"),
    ("", "cephfs", "CephFS"),
    ("", "csi", "CSI"),
    ("", "dnsConfig", "DNSConfig"),
    ("", "dnsPolicy", "DNSPolicy"),
    ("", "fc", "FC"),
    ("", "fsGroup", "FSGroup"),
    ("", "fsGroupChangePolicy", "FSGroupChangePolicy"),
    ("", "fsType", "FSType"),
    ("", "gcePersistentDisk", "GCEPersistentDisk"),
    ("", "gmsaCredentialSpec", "GMSACredentialSpec"),
    ("", "gmsaCredentialSpecName", "GMSACredentialSpecName"),
    ("", "grpc", "GRPC"),
    ("", "httpGet", "HTTPGet"),
    ("", "httpHeaders", "HTTPHeaders"),
    ("", "ip", "IP"),
    ("", "iqn", "IQN"),
    ("", "iscsi", "ISCSI"),
    ("", "iscsiInterface", "ISCSIInterface"),
    ("", "nfs", "NFS"),
    ("", "os", "OS"),
    ("", "pdName", "PDName"),
    ("", "rbd", "RBD"),
    ("", "seLinuxChangePolicy", "SELinuxChangePolicy"),
    ("", "seLinuxOptions", "SELinuxOptions"),
    ("", "sslEnabled", "SSLEnabled"),
    ("", "storageos", "StorageOS"),
    ("", "tcpSocket", "TCPSocket"),
    ("", "tty", "TTY"),
    ("", "uid", "UID"),
    ("", "wwids", "WWIDs"),
];

/// Types whose fields stand in another order inside than in v1, and that order. A field that is left out is not there.
#[rustfmt::skip]
const ORDERS: &[(&str, &str)] = &[
    (
        "PersistentVolumeSpec",
        "capacity gcePersistentDisk awsElasticBlockStore hostPath glusterfs nfs rbd quobyte iscsi flexVolume cinder cephfs \
         fc flocker azureFile vsphereVolume azureDisk photonPersistentDisk portworxVolume scaleIO local storageos csi \
         accessModes claimRef persistentVolumeReclaimPolicy storageClassName mountOptions volumeMode nodeAffinity \
         volumeAttributesClassName",
    ),
    (
        "PersistentVolumeSource",
        "gcePersistentDisk awsElasticBlockStore hostPath glusterfs nfs rbd quobyte iscsi flexVolume cinder cephfs fc flocker \
         azureFile vsphereVolume azureDisk photonPersistentDisk portworxVolume scaleIO local storageos csi",
    ),
    (
        "PodSecurityContext",
        "seLinuxOptions windowsOptions runAsUser runAsGroup runAsNonRoot supplementalGroups supplementalGroupsPolicy fsGroup \
         fsGroupChangePolicy sysctls seccompProfile appArmorProfile seLinuxChangePolicy",
    ),
    (
        "PodSpec",
        "volumes initContainers containers ephemeralContainers restartPolicy terminationGracePeriodSeconds \
         activeDeadlineSeconds dnsPolicy nodeSelector serviceAccountName automountServiceAccountToken nodeName \
         securityContext imagePullSecrets hostname subdomain setHostnameAsFQDN affinity schedulerName tolerations \
         hostAliases priorityClassName priority preemptionPolicy dnsConfig readinessGates runtimeClassName overhead \
         enableServiceLinks topologySpreadConstraints os schedulingGates resourceClaims resources hostnameOverride \
         schedulingGroup",
    ),
    (
        "Volume",
        "name hostPath emptyDir gcePersistentDisk awsElasticBlockStore gitRepo secret nfs iscsi glusterfs \
         persistentVolumeClaim rbd quobyte flexVolume cinder cephfs flocker downwardAPI fc azureFile configMap \
         vsphereVolume azureDisk photonPersistentDisk projected portworxVolume scaleIO storageos csi ephemeral image",
    ),
];

/// The fields of the spec of a pod that stand at the head of its security context inside.
const IN_SECURITY_CONTEXT: [&str; 5] =
    ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"];

/// Returns the internal form of `value`, of the published type `name` in the Go package `package`. Null is the zero
/// struct.
pub fn form(package: &str, name: &str, value: &Value) -> Value {
    let types = Types::builtin();
    types.find(package, name).map_or(Value::Null, |ty| of_struct(types, ty, value))
}

fn of_struct(types: &Types, id: TypeId, value: &Value) -> Value {
    let ty = types.get(id);
    if ty.package == META {
        return if value.is_null() { schema::zero(types, id) } else { value.clone() };
    }
    let mut out = Map::new();
    match ORDERS.iter().find(|row| ty.package == CORE && row.0 == ty.short_name()) {
        Some((_, order)) => {
            for field in order.split_ascii_whitespace().filter_map(|name| ty.field(name)) {
                add(types, ty, field, value, &mut out);
            }
        }
        None => {
            for field in &ty.fields {
                add(types, ty, field, value, &mut out);
            }
        }
    }
    if ty.package == CORE && ty.short_name() == "PodSpec" {
        complete_pod(types, ty, value, &mut out);
    }
    Value::Object(out)
}

/// Puts a field into the internal struct. Metadata is embedded: its own fields stand in its place.
fn add(types: &Types, ty: &Type, field: &Field, value: &Value, out: &mut Map<String, Value>) {
    let held = value.get(&field.name).unwrap_or(&Value::Null);
    if let (FieldType::Struct(_), "metadata") = (&field.ty, field.name.as_str()) {
        out.extend(held.as_object().cloned().unwrap_or_default());
        return;
    }
    let is_pointer = matches!(field.empty, Empty::Pointer | Empty::Null);
    let inner = if is_pointer && held.is_null() { Value::Null } else { of_value(types, &field.ty, held) };
    out.insert(go_name(ty, &field.name), inner);
}

fn of_value(types: &Types, ty: &FieldType, value: &Value) -> Value {
    match (ty, value) {
        (FieldType::Struct(id), _) => of_struct(types, *id, value),
        (FieldType::List(item), Value::Array(items)) => {
            items.iter().map(|value| of_value(types, item, value)).collect()
        }
        (FieldType::Map(item), Value::Object(map)) => {
            let mut keys: Vec<&String> = map.keys().collect();
            schema::sort_by(&mut keys, Ord::cmp);
            let of_key = |key: &String| (key.clone(), of_value(types, item, &map[key]));
            Value::Object(keys.into_iter().map(of_key).collect())
        }
        (_, Value::Null) => schema::zero_value(types, ty),
        _ => value.clone(),
    }
}

/// Sets what the conversion of a pod moves: what it shares with its host goes to the security context, which there
/// always is, and the old name of the service account is only another name.
fn complete_pod(types: &Types, ty: &Type, spec: &Value, out: &mut Map<String, Value>) {
    let mut context = Map::new();
    for field in IN_SECURITY_CONTEXT.into_iter().filter_map(|name| ty.field(name)) {
        add(types, ty, field, spec, &mut context);
    }
    let own = spec.get("securityContext").unwrap_or(&Value::Null);
    if let Value::Object(own) = form(CORE, "PodSecurityContext", own) {
        context.extend(own);
    }
    out.insert("SecurityContext".to_owned(), Value::Object(context));
    let account = |name: &str| spec.get(name).and_then(Value::as_str).filter(|account| !account.is_empty());
    if let Some(account) = account("serviceAccountName").or_else(|| account("serviceAccount")) {
        out.insert("ServiceAccountName".to_owned(), account.into());
    }
}

/// The name of Go's field for a JSON name.
fn go_name(ty: &Type, name: &str) -> String {
    let known = NAMES.iter().find(|row| row.1 == name && (row.0.is_empty() || row.0 == ty.short_name()));
    if let Some(row) = known {
        return row.2.to_owned();
    }
    let mut go = name.to_owned();
    if let Some(first) = go.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    go
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check(name: &str, value: &Value, expected: &str) {
        assert_eq!(form(CORE, name, value).to_string(), expected);
    }

    #[test]
    fn what_is_not_there_is_zero() {
        check(
            "PersistentVolumeClaimSpec",
            &json!({"accessModes": ["ReadWriteOnce"], "selector": {"matchLabels": {"b": "c"}}}),
            r#"{"AccessModes":["ReadWriteOnce"],"Selector":{"matchLabels":{"b":"c"}},"Resources":{"Limits":null,"Requests":null},"VolumeName":"","StorageClassName":null,"VolumeMode":null,"DataSource":null,"DataSourceRef":null,"VolumeAttributesClassName":null}"#,
        );
        check(
            "HTTPGetAction",
            &json!(null),
            r#"{"Path":"","Port":0,"Host":"","Scheme":"","HTTPHeaders":null}"#,
        );
        check(
            "RBDVolumeSource",
            &json!({"monitors": ["m"], "image": "i", "secretRef": {"name": "s"}}),
            r#"{"CephMonitors":["m"],"RBDImage":"i","FSType":"","RBDPool":"","RadosUser":"","Keyring":"","SecretRef":{"Name":"s"},"ReadOnly":false}"#,
        );
    }

    #[test]
    fn metadata_is_embedded() {
        check(
            "PersistentVolumeClaimTemplate",
            &json!({"metadata": {"labels": {"a": "b"}}, "spec": {"volumeName": "v"}}),
            r#"{"labels":{"a":"b"},"Spec":{"AccessModes":null,"Selector":null,"Resources":{"Limits":null,"Requests":null},"VolumeName":"v","StorageClassName":null,"VolumeMode":null,"DataSource":null,"DataSourceRef":null,"VolumeAttributesClassName":null}}"#,
        );
    }

    #[test]
    fn what_a_pod_shares_with_its_host_is_in_its_security_context() {
        let spec = json!({
            "hostNetwork": true,
            "shareProcessNamespace": false,
            "securityContext": {"fsGroup": 1},
            "serviceAccount": "a",
        });
        let inside = form(CORE, "PodSpec", &spec);
        assert_eq!(inside["ServiceAccountName"], "a");
        assert_eq!(
            inside["SecurityContext"].to_string(),
            r#"{"HostNetwork":true,"HostPID":false,"HostIPC":false,"ShareProcessNamespace":false,"HostUsers":null,"SELinuxOptions":null,"WindowsOptions":null,"RunAsUser":null,"RunAsGroup":null,"RunAsNonRoot":null,"SupplementalGroups":null,"SupplementalGroupsPolicy":null,"FSGroup":1,"FSGroupChangePolicy":null,"Sysctls":null,"SeccompProfile":null,"AppArmorProfile":null,"SELinuxChangePolicy":null}"#
        );
    }

    /// Every field of the published types has a place inside.
    #[test]
    fn orders_are_complete() {
        let types = Types::builtin();
        for (name, order) in ORDERS {
            let ty = types.get(types.find(CORE, name).expect("there is such a type"));
            let mut expected: Vec<&str> = ty.fields.iter().map(|field| field.name.as_str()).collect();
            expected.retain(|name| !IN_SECURITY_CONTEXT.contains(name) && *name != "serviceAccount");
            let mut listed: Vec<&str> = order.split_ascii_whitespace().collect();
            expected.sort_unstable();
            listed.sort_unstable();
            assert_eq!(listed, expected, "{name}");
        }
    }
}
