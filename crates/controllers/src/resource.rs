//! Resources: where objects of a kind are served.

use std::borrow::Cow;

use golang::url::path_escape;

/// A resource in one version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Resource {
    pub(crate) group: Cow<'static, str>,
    pub(crate) version: Cow<'static, str>,
    pub(crate) plural: Cow<'static, str>,
    pub(crate) kind: Cow<'static, str>,
    pub(crate) namespaced: bool,
}

const fn resource(
    group: &'static str,
    plural: &'static str,
    kind: &'static str,
    namespaced: bool,
) -> Resource {
    Resource {
        group: Cow::Borrowed(group),
        version: Cow::Borrowed("v1"),
        plural: Cow::Borrowed(plural),
        kind: Cow::Borrowed(kind),
        namespaced,
    }
}

pub(crate) const CERTIFICATE_SIGNING_REQUESTS: Resource =
    resource("certificates.k8s.io", "certificatesigningrequests", "CertificateSigningRequest", false);
pub(crate) const CLUSTER_ROLES: Resource =
    resource("rbac.authorization.k8s.io", "clusterroles", "ClusterRole", false);
pub(crate) const CONFIG_MAPS: Resource = resource("", "configmaps", "ConfigMap", true);
pub(crate) const CONTROLLER_REVISIONS: Resource =
    resource("apps", "controllerrevisions", "ControllerRevision", true);
pub(crate) const CRON_JOBS: Resource = resource("batch", "cronjobs", "CronJob", true);
pub(crate) const DAEMON_SETS: Resource = resource("apps", "daemonsets", "DaemonSet", true);
pub(crate) const DEFINITIONS: Resource =
    resource("apiextensions.k8s.io", "customresourcedefinitions", "CustomResourceDefinition", false);
pub(crate) const DEPLOYMENTS: Resource = resource("apps", "deployments", "Deployment", true);
pub(crate) const ENDPOINT_SLICES: Resource =
    resource("discovery.k8s.io", "endpointslices", "EndpointSlice", true);
pub(crate) const ENDPOINTS: Resource = resource("", "endpoints", "Endpoints", true);
pub(crate) const EVENTS: Resource = resource("", "events", "Event", true);
pub(crate) const HORIZONTAL_POD_AUTOSCALERS: Resource = Resource {
    group: Cow::Borrowed("autoscaling"),
    version: Cow::Borrowed("v2"),
    plural: Cow::Borrowed("horizontalpodautoscalers"),
    kind: Cow::Borrowed("HorizontalPodAutoscaler"),
    namespaced: true,
};
pub(crate) const IP_ADDRESSES: Resource = resource("networking.k8s.io", "ipaddresses", "IPAddress", false);
pub(crate) const JOBS: Resource = resource("batch", "jobs", "Job", true);
pub(crate) const LEASES: Resource = resource("coordination.k8s.io", "leases", "Lease", true);
pub(crate) const NAMESPACES: Resource = resource("", "namespaces", "Namespace", false);
pub(crate) const NODES: Resource = resource("", "nodes", "Node", false);
pub(crate) const PERSISTENT_VOLUME_CLAIMS: Resource =
    resource("", "persistentvolumeclaims", "PersistentVolumeClaim", true);
pub(crate) const PERSISTENT_VOLUMES: Resource = resource("", "persistentvolumes", "PersistentVolume", false);
pub(crate) const POD_DISRUPTION_BUDGETS: Resource =
    resource("policy", "poddisruptionbudgets", "PodDisruptionBudget", true);
pub(crate) const POD_METRICS: Resource = Resource {
    group: Cow::Borrowed("metrics.k8s.io"),
    version: Cow::Borrowed("v1beta1"),
    plural: Cow::Borrowed("pods"),
    kind: Cow::Borrowed("PodMetrics"),
    namespaced: true,
};
pub(crate) const PODS: Resource = resource("", "pods", "Pod", true);
pub(crate) const REPLICA_SETS: Resource = resource("apps", "replicasets", "ReplicaSet", true);
pub(crate) const REPLICATION_CONTROLLERS: Resource =
    resource("", "replicationcontrollers", "ReplicationController", true);
pub(crate) const RESOURCE_CLAIMS: Resource =
    resource("resource.k8s.io", "resourceclaims", "ResourceClaim", true);
pub(crate) const RESOURCE_QUOTAS: Resource = resource("", "resourcequotas", "ResourceQuota", true);
pub(crate) const SECRETS: Resource = resource("", "secrets", "Secret", true);
pub(crate) const SERVICE_CIDRS: Resource =
    resource("networking.k8s.io", "servicecidrs", "ServiceCIDR", false);
pub(crate) const SERVICES: Resource = resource("", "services", "Service", true);
pub(crate) const SERVICE_ACCOUNTS: Resource = resource("", "serviceaccounts", "ServiceAccount", true);
pub(crate) const SHOWN_EVENTS: Resource = resource("events.k8s.io", "events", "Event", true);
pub(crate) const STATEFUL_SETS: Resource = resource("apps", "statefulsets", "StatefulSet", true);
pub(crate) const STORAGE_CLASSES: Resource =
    resource("storage.k8s.io", "storageclasses", "StorageClass", false);

pub(crate) const SUBJECT_ACCESS_REVIEWS: Resource =
    resource("authorization.k8s.io", "subjectaccessreviews", "SubjectAccessReview", false);
pub(crate) const VALIDATING_ADMISSION_POLICIES: Resource = resource(
    "admissionregistration.k8s.io",
    "validatingadmissionpolicies",
    "ValidatingAdmissionPolicy",
    false,
);

pub(crate) const VOLUME_ATTRIBUTES_CLASSES: Resource =
    resource("storage.k8s.io", "volumeattributesclasses", "VolumeAttributesClass", false);

impl Resource {
    /// Returns the group and version, as objects have them.
    pub(crate) fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.to_string()
        } else {
            [&self.group, "/", &*self.version].concat()
        }
    }

    /// Returns the path of the collection in a namespace; in all of them, if it is empty.
    pub(crate) fn collection(&self, namespace: &str) -> String {
        let mut path =
            if self.group.is_empty() { String::from("/api/") } else { ["/apis/", &self.group, "/"].concat() };
        path.push_str(&self.version);
        if self.namespaced && !namespace.is_empty() {
            path.push_str("/namespaces/");
            path.push_str(&path_escape(namespace));
        }
        path.push('/');
        path.push_str(&self.plural);
        path
    }

    /// Returns the path of an object.
    pub(crate) fn object(&self, namespace: &str, name: &str) -> String {
        let mut path = self.collection(namespace);
        path.push('/');
        path.push_str(&path_escape(name));
        path
    }

    /// Returns the name as Go prints a `GroupVersionResource`.
    pub(crate) fn to_go(&self) -> String {
        [&*self.group, "/", &*self.version, ", Resource=", &*self.plural].concat()
    }
}
