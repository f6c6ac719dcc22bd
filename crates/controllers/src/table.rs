//! The table of controllers, in the order in which they take turns, but that quick ones come first.

use crate::certificates::{self, CertificateController, Cleaner};
use crate::cluster_role_aggregation::ClusterRoleAggregation;
use crate::controller::Controller;
use crate::cron_job::CronJobs;
use crate::daemon_set::DaemonSets;
use crate::deployment::Deployments;
use crate::disruption::Disruption;
use crate::endpoint_slice_mirroring::EndpointSliceMirroring;
use crate::endpoint_slices::EndpointSlices;
use crate::endpoints::Endpoints;
use crate::ephemeral_volume::EphemeralVolumes;
use crate::garbage_collector::GarbageCollector;
use crate::horizontal_pod_autoscaler::HorizontalPodAutoscalers;
use crate::job::Jobs;
use crate::namespace::Namespaces;
use crate::node_lifecycle::NodeLifecycle;
use crate::options::Options;
use crate::persistent_volumes::PersistentVolumes;
use crate::pod_garbage_collector::PodGarbageCollector;
use crate::protection::{self, Protection};
use crate::replica_set::{REPLICA_SET, REPLICATION_CONTROLLER, ReplicaSets};
use crate::resource_quota::ResourceQuotas;
use crate::root_ca::RootCaPublisher;
use crate::service_account::ServiceAccounts;
use crate::service_account_tokens::ServiceAccountTokens;
use crate::service_cidr::{self, ServiceCidrs};
use crate::stateful_set::StatefulSets;
use crate::taint_eviction::TaintEviction;
use crate::ttl::Ttl;
use crate::ttl_after_finished::TtlAfterFinished;
use crate::validating_admission_policy_status::{self, ValidatingAdmissionPolicyStatus};

/// A controller: its names, and how it is made.
pub(crate) struct Descriptor {
    /// The name by which it is chosen.
    pub(crate) name: &'static str,
    /// The older name by which it is chosen, too.
    pub(crate) alias: &'static str,
    /// The service account in whose name it acts; empty if it acts in the name of kube-controller-manager itself.
    pub(crate) account: &'static str,
    /// The source of its events.
    pub(crate) component: &'static str,
    pub(crate) make: fn(&Options) -> Box<dyn Controller>,
}

/// The name of the controller that nodes are left to.
pub(crate) const NODE_LIFECYCLE: &str = "node-lifecycle-controller";

/// The name of the controller that binds volumes, and its account.
pub(crate) const BINDER: &str = "persistentvolume-binder-controller";
pub(crate) const BINDER_ACCOUNT: &str = "persistent-volume-binder";

/// The controllers of this crate.
pub(crate) const CONTROLLERS: &[Descriptor] = &[
    Descriptor {
        name: "serviceaccount-token-controller",
        alias: "serviceaccount-token",
        account: "",
        component: "",
        make: |options| Box::new(ServiceAccountTokens::new(options)),
    },
    Descriptor {
        name: "endpoints-controller",
        alias: "endpoint",
        account: "endpoint-controller",
        component: "endpoint-controller",
        make: |_| Box::new(Endpoints::default()),
    },
    Descriptor {
        name: "endpointslice-controller",
        alias: "endpointslice",
        account: "endpointslice-controller",
        component: "endpoint-slice-controller",
        make: |_| Box::new(EndpointSlices::default()),
    },
    Descriptor {
        name: "endpointslice-mirroring-controller",
        alias: "endpointslicemirroring",
        account: "endpointslicemirroring-controller",
        component: "endpoint-slice-mirroring-controller",
        make: |_| Box::new(EndpointSliceMirroring::default()),
    },
    Descriptor {
        name: "replicationcontroller-controller",
        alias: "replicationcontroller",
        account: "replication-controller",
        component: "replication-controller",
        make: |_| Box::new(ReplicaSets::new(&REPLICATION_CONTROLLER)),
    },
    Descriptor {
        name: "pod-garbage-collector-controller",
        alias: "podgc",
        account: "pod-garbage-collector",
        component: "",
        make: |_| Box::new(PodGarbageCollector::default()),
    },
    Descriptor {
        name: "resourcequota-controller",
        alias: "resourcequota",
        account: "resourcequota-controller",
        component: "resourcequota-controller",
        make: |_| Box::new(ResourceQuotas::default()),
    },
    Descriptor {
        name: "namespace-controller",
        alias: "namespace",
        account: "namespace-controller",
        component: "namespace-controller",
        make: |_| Box::new(Namespaces),
    },
    Descriptor {
        name: "serviceaccount-controller",
        alias: "serviceaccount",
        account: "service-account-controller",
        component: "service-account-controller",
        make: |_| Box::new(ServiceAccounts),
    },
    Descriptor {
        name: "garbage-collector-controller",
        alias: "garbagecollector",
        account: "generic-garbage-collector",
        component: "garbage-collector-controller",
        make: |_| Box::new(GarbageCollector::default()),
    },
    Descriptor {
        name: "daemonset-controller",
        alias: "daemonset",
        account: "daemon-set-controller",
        component: "daemonset-controller",
        make: |_| Box::new(DaemonSets::default()),
    },
    Descriptor {
        name: "job-controller",
        alias: "job",
        account: "job-controller",
        component: "job-controller",
        make: |_| Box::new(Jobs::default()),
    },
    Descriptor {
        name: "deployment-controller",
        alias: "deployment",
        account: "deployment-controller",
        component: "deployment-controller",
        make: |_| Box::new(Deployments),
    },
    Descriptor {
        name: "replicaset-controller",
        alias: "replicaset",
        account: "replicaset-controller",
        component: "replicaset-controller",
        make: |_| Box::new(ReplicaSets::new(&REPLICA_SET)),
    },
    Descriptor {
        name: "horizontal-pod-autoscaler-controller",
        alias: "horizontalpodautoscaling",
        account: "horizontal-pod-autoscaler",
        component: "horizontal-pod-autoscaler",
        make: |_| Box::new(HorizontalPodAutoscalers::default()),
    },
    Descriptor {
        name: "disruption-controller",
        alias: "disruption",
        account: "disruption-controller",
        component: "controllermanager",
        make: |_| Box::new(Disruption),
    },
    Descriptor {
        name: "statefulset-controller",
        alias: "statefulset",
        account: "statefulset-controller",
        component: "statefulset-controller",
        make: |_| Box::new(StatefulSets),
    },
    Descriptor {
        name: "ttl-controller",
        alias: "ttl",
        account: "ttl-controller",
        component: "",
        make: |_| Box::new(Ttl::default()),
    },
    Descriptor {
        name: NODE_LIFECYCLE,
        alias: "nodelifecycle",
        account: "node-controller",
        component: "node-controller",
        make: |_| Box::new(NodeLifecycle::default()),
    },
    Descriptor {
        name: BINDER,
        alias: "persistentvolume-binder",
        account: BINDER_ACCOUNT,
        component: "persistentvolume-controller",
        make: |_| Box::new(PersistentVolumes),
    },
    Descriptor {
        name: "clusterrole-aggregation-controller",
        alias: "clusterrole-aggregation",
        account: "clusterrole-aggregation-controller",
        component: "",
        make: |_| Box::new(ClusterRoleAggregation),
    },
    Descriptor {
        name: "persistentvolumeclaim-protection-controller",
        alias: "pvc-protection",
        account: "pvc-protection-controller",
        component: "",
        make: |_| Box::new(Protection::new(&protection::CLAIMS)),
    },
    Descriptor {
        name: "persistentvolume-protection-controller",
        alias: "pv-protection",
        account: "pv-protection-controller",
        component: "",
        make: |_| Box::new(Protection::new(&protection::VOLUMES)),
    },
    Descriptor {
        name: "volumeattributesclass-protection-controller",
        alias: "",
        account: "volumeattributesclass-protection-controller",
        component: "",
        make: |_| Box::new(Protection::new(&protection::VOLUME_ATTRIBUTES)),
    },
    Descriptor {
        name: "cronjob-controller",
        alias: "cronjob",
        account: "cronjob-controller",
        component: "cronjob-controller",
        make: |_| Box::new(CronJobs),
    },
    Descriptor {
        name: certificates::SIGNING,
        alias: "csrsigning",
        account: certificates::ACCOUNT,
        component: "",
        make: |options| Box::new(CertificateController::Signing(options.signer.clone())),
    },
    Descriptor {
        name: "certificatesigningrequest-approving-controller",
        alias: "csrapproving",
        account: certificates::ACCOUNT,
        component: "",
        make: |_| Box::new(CertificateController::Approving),
    },
    Descriptor {
        name: "certificatesigningrequest-cleaner-controller",
        alias: "csrcleaner",
        account: certificates::ACCOUNT,
        component: "",
        make: |_| Box::new(Cleaner::default()),
    },
    Descriptor {
        name: "ttl-after-finished-controller",
        alias: "ttl-after-finished",
        account: "ttl-after-finished-controller",
        component: "ttl-after-finished-controller",
        make: |_| Box::new(TtlAfterFinished),
    },
    Descriptor {
        name: "root-ca-certificate-publisher-controller",
        alias: "root-ca-cert-publisher",
        account: "root-ca-cert-publisher",
        component: "root-ca-cert-publisher",
        make: |options| Box::new(RootCaPublisher::new(options)),
    },
    Descriptor {
        name: "ephemeral-volume-controller",
        alias: "ephemeral-volume",
        account: "ephemeral-volume-controller",
        component: "ephemeral_volume",
        make: |_| Box::new(EphemeralVolumes),
    },
    Descriptor {
        name: validating_admission_policy_status::NAME,
        alias: "",
        account: validating_admission_policy_status::NAME,
        component: "",
        make: |_| Box::new(ValidatingAdmissionPolicyStatus),
    },
    Descriptor {
        name: service_cidr::NAME,
        alias: "",
        account: "service-cidrs-controller",
        component: service_cidr::NAME,
        make: |_| Box::new(ServiceCidrs),
    },
    Descriptor {
        name: "taint-eviction-controller",
        alias: "",
        account: "node-controller",
        component: "taint-eviction-controller",
        make: |_| Box::new(TaintEviction::default()),
    },
];

/// The other controllers of kube-controller-manager v1.36, with their older names.
pub(crate) const ELSEWHERE: &[(&str, &str)] = &[
    ("bootstrap-signer-controller", "bootstrapsigner"),
    ("cloud-node-lifecycle-controller", "cloud-node-lifecycle"),
    ("device-taint-eviction-controller", ""),
    ("kube-apiserver-serving-clustertrustbundle-publisher-controller", ""),
    ("legacy-serviceaccount-token-cleaner-controller", "legacy-service-account-token-cleaner"),
    ("node-ipam-controller", "nodeipam"),
    ("node-route-controller", "route"),
    ("persistentvolume-attach-detach-controller", "attachdetach"),
    ("persistentvolume-expander-controller", "persistentvolume-expander"),
    ("podcertificaterequest-cleaner-controller", ""),
    ("podgroup-protection-controller", ""),
    ("resourceclaim-controller", "resource-claim-controller"),
    ("resourcepoolstatusrequest-controller", ""),
    ("selinux-warning-controller", ""),
    ("service-ca-certificate-publisher-controller", "service-ca-cert-publisher"),
    ("service-lb-controller", "service"),
    ("storage-version-migrator-controller", "svm"),
    ("storageversion-garbage-collector-controller", "storage-version-gc"),
    ("token-cleaner-controller", "tokencleaner"),
];
