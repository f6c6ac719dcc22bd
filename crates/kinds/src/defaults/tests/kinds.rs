//! The defaults of each kind besides pods: the object as it is sent (keys in order), and as it is stored. Empty structs
//! that decoding adds are in both.

use crate::defaults::{apply, prepare_for_create};

use super::{builtin, check, check_at, parse, same, type_of};

#[test]
fn services() {
    let check = |sent: &str, stored: &str| check_at("v1", "Service", "/spec", sent, stored);
    check("{}", r#"{"type":"ClusterIP","sessionAffinity":"None","internalTrafficPolicy":"Cluster"}"#);
    check(
        r#"{"ports":[{"port":80,"targetPort":0},{"port":81,"targetPort":"web","protocol":"UDP"}],
            "type":"LoadBalancer","sessionAffinity":"ClientIP"}"#,
        r#"{"ports":[{"protocol":"TCP","port":80,"targetPort":80},
            {"port":81,"targetPort":"web","protocol":"UDP"}],"type":"LoadBalancer",
            "sessionAffinity":"ClientIP",
            "externalTrafficPolicy":"Cluster","sessionAffinityConfig":{"clientIP":{"timeoutSeconds":10800}},
            "allocateLoadBalancerNodePorts":true,"internalTrafficPolicy":"Cluster"}"#,
    );
    check(
        r#"{"type":"ExternalName","externalName":"x.example.com"}"#,
        r#"{"type":"ExternalName","sessionAffinity":"None","externalName":"x.example.com"}"#,
    );
    check(
        r#"{"externalIPs":["1.2.3.4"],"sessionAffinityConfig":{"clientIP":{"timeoutSeconds":1}}}"#,
        r#"{"type":"ClusterIP","externalIPs":["1.2.3.4"],"sessionAffinity":"None",
            "externalTrafficPolicy":"Cluster","internalTrafficPolicy":"Cluster"}"#,
    );
}

#[test]
fn strategies_of_workloads() {
    let deployment =
        |sent: &str, stored: &str| check_at("apps/v1", "Deployment", "/spec/strategy", sent, stored);
    deployment("{}", r#"{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":"25%","maxSurge":"25%"}}"#);
    deployment(
        r#"{"rollingUpdate":{"maxUnavailable":0}}"#,
        r#"{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":0,"maxSurge":"25%"}}"#,
    );
    deployment(r#"{"type":"Recreate"}"#, r#"{"type":"Recreate"}"#);
    let daemon_set =
        |sent: &str, stored: &str| check_at("apps/v1", "DaemonSet", "/spec/updateStrategy", sent, stored);
    daemon_set("{}", r#"{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":1,"maxSurge":0}}"#);
    daemon_set(r#"{"type":"OnDelete"}"#, r#"{"type":"OnDelete"}"#);
    let stateful_set =
        |sent: &str, stored: &str| check_at("apps/v1", "StatefulSet", "/spec/updateStrategy", sent, stored);
    stateful_set("{}", r#"{"type":"RollingUpdate","rollingUpdate":{"partition":0}}"#);
    stateful_set(r#"{"type":"RollingUpdate"}"#, r#"{"type":"RollingUpdate"}"#);
    stateful_set(
        r#"{"rollingUpdate":{"partition":3}}"#,
        r#"{"type":"RollingUpdate","rollingUpdate":{"partition":3}}"#,
    );
    check_at(
        "apps/v1",
        "StatefulSet",
        "/spec/volumeClaimTemplates/0",
        r#"{"metadata":{"name":"c"},"spec":{"resources":{}},"status":{}}"#,
        r#"{"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{"name":"c"},
            "spec":{"resources":{},"volumeMode":"Filesystem"},"status":{"phase":"Pending"}}"#,
    );
}

#[test]
fn labels_from_templates() {
    check_at("v1", "ReplicationController", "/spec/selector", "{}", "{}");
    let template = r#""template":{"metadata":{"labels":{"app":"a"}},"spec":{"containers":null,
        "restartPolicy":"Always",
        "terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","securityContext":{},
        "schedulerName":"s"}}"#;
    check(
        "v1",
        "ReplicationController",
        &format!(r#"{{"metadata":{{"name":"r"}},"spec":{{{template}}}}}"#),
        &format!(
            r#"{{"metadata":{{"name":"r","labels":{{"app":"a"}}}},"spec":{{"replicas":1,
                "selector":{{"app":"a"}},{template}}}}}"#
        ),
    );
    check(
        "v1",
        "Namespace",
        r#"{"metadata":{"name":"n","labels":{"z":"1"}},"spec":{},"status":{}}"#,
        r#"{"metadata":{"name":"n","labels":{"kubernetes.io/metadata.name":"n","z":"1"}},"spec":{},
            "status":{"phase":"Active"}}"#,
    );
}

#[test]
fn jobs() {
    let check = |sent: &str, stored: &str| {
        let template = r#""template":{"metadata":{},"spec":{"containers":null,"restartPolicy":"Never",
            "terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","securityContext":{},
            "schedulerName":"s"}}"#;
        check_at("batch/v1", "Job", "/spec", &sent.replace("T", template), &stored.replace("T", template));
    };
    check(
        "{T}",
        r#"{"parallelism":1,"completions":1,"backoffLimit":6,"manualSelector":false,T,
            "completionMode":"NonIndexed","suspend":false,
            "podReplacementPolicy":"\u0054erminatingOrFailed"}"#,
    );
    check(
        r#"{"completions":3,"podFailurePolicy":{"rules":[{"action":"Ignore",
            "onPodConditions":[{"type":"x"}]}]},"backoffLimitPerIndex":1,T,"completionMode":"Indexed"}"#,
        r#"{"parallelism":1,"completions":3,"podFailurePolicy":{"rules":[{"action":"Ignore",
            "onPodConditions":[{"type":"x","status":"\u0054rue"}]}]},"backoffLimit":2147483647,
            "backoffLimitPerIndex":1,
            "manualSelector":false,T,"completionMode":"Indexed","suspend":false,
            "podReplacementPolicy":"Failed"}"#,
    );
}

#[test]
fn cron_jobs_leave_the_job_to_be() {
    check(
        "batch/v1",
        "CronJob",
        r#"{"spec":{"schedule":"* * * * *","jobTemplate":{"metadata":{},"spec":{"template":{"metadata":{},
            "spec":{
            "containers":null,"restartPolicy":"Never","terminationGracePeriodSeconds":30,
            "dnsPolicy":"ClusterFirst",
            "securityContext":{},"schedulerName":"s"}}}}}}"#,
        r#"{"spec":{"schedule":"* * * * *","concurrencyPolicy":"Allow","suspend":false,
            "jobTemplate":{"metadata":{},
            "spec":{"template":{"metadata":{},"spec":{
            "containers":null,"restartPolicy":"Never","terminationGracePeriodSeconds":30,
            "dnsPolicy":"ClusterFirst",
            "securityContext":{},"schedulerName":"s"}}}},"successfulJobsHistoryLimit":3,
            "failedJobsHistoryLimit":1}}"#,
    );
}

#[test]
fn storage() {
    check(
        "v1",
        "PersistentVolume",
        r#"{"metadata":{},"spec":{"capacity":{"storage":"1Gi"},"hostPath":{"path":"/x"}},"status":{}}"#,
        r#"{"metadata":{},"spec":{"capacity":{"storage":"1Gi"},"hostPath":{"path":"/x","type":""},
            "persistentVolumeReclaimPolicy":"Retain","volumeMode":"Filesystem"},
            "status":{"phase":"Pending"}}"#,
    );
    check(
        "storage.k8s.io/v1",
        "StorageClass",
        r#"{"metadata":{},"provisioner":"p"}"#,
        r#"{"metadata":{},"provisioner":"p","reclaimPolicy":"Delete","volumeBindingMode":"Immediate"}"#,
    );
    check(
        "storage.k8s.io/v1",
        "CSIDriver",
        r#"{"spec":{"attachRequired":false}}"#,
        r#"{"spec":{"attachRequired":false,"podInfoOnMount":false,"volumeLifecycleModes":["Persistent"],
            "storageCapacity":false,"fsGroupPolicy":"ReadWriteOnceWithFSType","requiresRepublish":false,
            "seLinuxMount":false}}"#,
    );
}

#[test]
fn secrets() {
    check("v1", "Secret", r#"{"metadata":{}}"#, r#"{"metadata":{},"type":"Opaque"}"#);
    check(
        "v1",
        "Secret",
        r#"{"data":{"b":"b2xk","c":"eA=="},"stringData":{"a":"","b":"v","d":"é\n"},"type":"x"}"#,
        r#"{"data":{"a":"","b":"dg==","c":"eA==","d":"w6kK"},"type":"x"}"#,
    );
    check("v1", "Secret", r#"{"stringData":{}}"#, r#"{"type":"Opaque"}"#);
}

#[test]
fn limit_ranges() {
    let check = |sent: &str, stored: &str| check_at("v1", "LimitRange", "/spec/limits/0", sent, stored);
    check(r#"{"type":"Pod","max":{"cpu":"1"}}"#, r#"{"type":"Pod","max":{"cpu":"1"}}"#);
    check(
        r#"{"type":"Container","max":{"cpu":"2"},"min":{"cpu":"1","memory":"1Mi"}}"#,
        r#"{"type":"Container","max":{"cpu":"2"},"min":{"cpu":"1","memory":"1Mi"},"default":{"cpu":"2"},
            "defaultRequest":{"cpu":"2","memory":"1Mi"}}"#,
    );
}

#[test]
fn autoscalers() {
    check_at(
        "autoscaling/v1",
        "HorizontalPodAutoscaler",
        "/spec",
        r#"{"scaleTargetRef":{"kind":"K","name":"n"},"maxReplicas":2}"#,
        r#"{"scaleTargetRef":{"kind":"K","name":"n"},"minReplicas":1,"maxReplicas":2,
            "targetCPUUtilizationPercentage":80}"#,
    );
    let check = |sent: &str, stored: &str| {
        check_at("autoscaling/v2", "HorizontalPodAutoscaler", "/spec", sent, stored)
    };
    let metrics = r#""metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization",
        "averageUtilization":80}}}]"#;
    check(r#"{"maxReplicas":2}"#, &format!(r#"{{"minReplicas":1,"maxReplicas":2,{metrics}}}"#));
    check(
        r#"{"maxReplicas":2,"behavior":{"scaleDown":{"selectPolicy":"Disabled"}}}"#,
        &format!(
            r#"{{"minReplicas":1,"maxReplicas":2,{metrics},
                "behavior":{{"scaleUp":{{"stabilizationWindowSeconds":0,
                "selectPolicy":"Max","policies":[{{"type":"Pods","value":4,"periodSeconds":15}},
                {{"type":"Percent","value":100,"periodSeconds":15}}]}},
                "scaleDown":{{"selectPolicy":"Disabled",
                "policies":[{{"type":"Percent","value":100,"periodSeconds":15}}]}}}}}}"#
        ),
    );
}

#[test]
fn networking() {
    let policy =
        |sent: &str, stored: &str| check_at("networking.k8s.io/v1", "NetworkPolicy", "/spec", sent, stored);
    policy(r#"{"podSelector":{}}"#, r#"{"podSelector":{},"policyTypes":["Ingress"]}"#);
    policy(
        r#"{"podSelector":{},"egress":[{"ports":[{"port":1}]}]}"#,
        r#"{"podSelector":{},"egress":[{"ports":[{"protocol":"TCP","port":1}]}],"policyTypes":["Ingress",
            "Egress"]}"#,
    );
    check(
        "discovery.k8s.io/v1",
        "EndpointSlice",
        r#"{"metadata":{},"addressType":"IPv4","endpoints":null,"ports":[{"port":80}]}"#,
        r#"{"metadata":{},"addressType":"IPv4","endpoints":null,"ports":[{"name":"","protocol":"TCP",
            "port":80}]}"#,
    );
    check(
        "v1",
        "Endpoints",
        r#"{"subsets":[{"ports":[{"port":80}]}]}"#,
        r#"{"subsets":[{"ports":[{"port":80,"protocol":"TCP"}]}]}"#,
    );
    check(
        "networking.k8s.io/v1",
        "IngressClass",
        r#"{"spec":{"parameters":{"kind":"K","name":"n"}}}"#,
        r#"{"spec":{"parameters":{"kind":"K","name":"n","scope":"Cluster"}}}"#,
    );
}

#[test]
fn role_bindings() {
    check(
        "rbac.authorization.k8s.io/v1",
        "RoleBinding",
        r#"{"subjects":[{"kind":"User","name":"u"},{"kind":"ServiceAccount","name":"s"},{"kind":"Odd",
            "name":"o"}],
            "roleRef":{"apiGroup":"","kind":"Role","name":"r"}}"#,
        r#"{"subjects":[{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"u"},
            {"kind":"ServiceAccount","name":"s"},{"kind":"Odd","name":"o"}],
            "roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"r"}}"#,
    );
}

#[test]
fn webhooks_and_policies() {
    check_at(
        "admissionregistration.k8s.io/v1",
        "MutatingWebhookConfiguration",
        "/webhooks/0",
        r#"{"name":"w","clientConfig":{"service":{"namespace":"n","name":"s"}},"rules":[{"operations":["*"]}],
            "sideEffects":"None","admissionReviewVersions":["v1"]}"#,
        r#"{"name":"w","clientConfig":{"service":{"namespace":"n","name":"s","port":443}},
            "rules":[{"operations":["*"],"scope":"*"}],"failurePolicy":"Fail","matchPolicy":"Equivalent",
            "namespaceSelector":{},"objectSelector":{},"sideEffects":"None","timeoutSeconds":10,
            "admissionReviewVersions":["v1"],"reinvocationPolicy":"Never"}"#,
    );
    check_at(
        "admissionregistration.k8s.io/v1",
        "ValidatingAdmissionPolicy",
        "/spec",
        r#"{"matchConstraints":{"resourceRules":[{"operations":["CREATE"]}]}}"#,
        r#"{"matchConstraints":{"namespaceSelector":{},"objectSelector":{},
            "resourceRules":[{"operations":["CREATE"],"scope":"*"}],"matchPolicy":"Equivalent"},
            "failurePolicy":"Fail"}"#,
    );
}

#[test]
fn flow_control_and_scheduling() {
    check_at(
        "flowcontrol.apiserver.k8s.io/v1",
        "PriorityLevelConfiguration",
        "/spec",
        r#"{"type":"Limited","limited":{"limitResponse":{"type":"Queue","queuing":{}}}}"#,
        r#"{"type":"Limited","limited":{"nominalConcurrencyShares":30,"limitResponse":{"type":"Queue",
            "queuing":{"queues":64,"handSize":8,"queueLengthLimit":50}},"lendablePercent":0}}"#,
    );
    check(
        "scheduling.k8s.io/v1",
        "PriorityClass",
        r#"{"metadata":{},"value":0}"#,
        r#"{"metadata":{},"value":0,"preemptionPolicy":"PreemptLowerPriority"}"#,
    );
    check_at(
        "resource.k8s.io/v1",
        "ResourceClaim",
        "/spec/devices/requests/0",
        r#"{"name":"r","exactly":{"deviceClassName":"c","tolerations":[{"key":"k"}]}}"#,
        r#"{"name":"r","exactly":{"deviceClassName":"c","allocationMode":"ExactCount","count":1,
            "tolerations":[{"key":"k","operator":"Equal"}]}}"#,
    );
}

#[test]
fn custom_resource_definitions() {
    check(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        r#"{"spec":{"group":"g","names":{"plural":"things","kind":"Thing"},"scope":"Cluster",
            "versions":[{"name":"v1","served":true,"storage":false},{"name":"v2","served":true,
            "storage":true}]},
            "status":{"conditions":null,"acceptedNames":{"plural":"","kind":""},"storedVersions":null}}"#,
        r#"{"spec":{"group":"g","names":{"plural":"things","singular":"thing","kind":"Thing",
            "listKind":"ThingList"},
            "scope":"Cluster","versions":[{"name":"v1","served":true,"storage":false},
            {"name":"v2","served":true,"storage":true}],"conversion":{"strategy":"None"}},
            "status":{"conditions":null,"acceptedNames":{"plural":"","kind":""},"storedVersions":["v2"]}}"#,
    );
}

#[test]
fn bad_shapes_are_left_alone() {
    for object in [
        "null",
        "[]",
        r#"{"spec":1,"metadata":"x"}"#,
        r#"{"spec":{"containers":{"a":1},"volumes":[1,null]}}"#,
    ] {
        for kind in ["Pod", "Service", "Secret", "ReplicationController", "Namespace", "LimitRange"] {
            let mut value = parse(object);
            apply(builtin(), type_of("v1", kind), &mut value);
            prepare_for_create(builtin(), type_of("v1", kind), &mut value);
        }
    }
}

#[track_caller]
fn check_new(api_version: &str, kind: &str, sent: &str, stored: &str) {
    let mut object = parse(sent);
    prepare_for_create(builtin(), type_of(api_version, kind), &mut object);
    same(&object, &parse(stored), kind);
}

#[test]
fn new_objects() {
    check_new(
        "v1",
        "Namespace",
        r#"{"spec":{"finalizers":["a.b/c"]}}"#,
        r#"{"spec":{"finalizers":["a.b/c","kubernetes"]}}"#,
    );
    check_new(
        "apps/v1",
        "DaemonSet",
        r#"{"metadata":{"name":"d","annotations":{"z":"1"}}}"#,
        r#"{"metadata":{"name":"d","annotations":{"deprecated.daemonset.template.generation":"1","z":"1"}}}"#,
    );
    check_new(
        "batch/v1",
        "Job",
        r#"{"metadata":{"name":"j","uid":"u"},"spec":{"manualSelector":false,
            "template":{"metadata":{"labels":{"a":"b"}},"spec":{}}}}"#,
        r#"{"metadata":{"name":"j","uid":"u"},
            "spec":{"selector":{"matchLabels":{"batch.kubernetes.io/controller-uid":"u"}},
            "manualSelector":false,
            "template":{"metadata":{"labels":{"a":"b","batch.kubernetes.io/controller-uid":"u",
            "batch.kubernetes.io/job-name":"j","controller-uid":"u","job-name":"j"}},"spec":{}}}}"#,
    );
    let manual = r#"{"metadata":{"uid":"u"},"spec":{"selector":{},"manualSelector":true,
        "template":{"metadata":{},"spec":{}}}}"#;
    check_new("batch/v1", "Job", manual, manual);
    check_new(
        "v1",
        "Pod",
        r#"{"metadata":{"annotations":{"container.apparmor.security.beta.kubernetes.io/c":"localhost/p"}},
            "spec":{"containers":[{"name":"c"},{"name":"d"}]}}"#,
        r#"{"metadata":{"annotations":{"container.apparmor.security.beta.kubernetes.io/c":"localhost/p"}},
            "spec":{"containers":[{"name":"c","securityContext":{"appArmorProfile":{"type":"Localhost",
            "localhostProfile":"p"}}},
            {"name":"d"}]}}"#,
    );
    let annotated = |profile: &str, spec: &str| {
        format!(
            r#"{{"metadata":{{"annotations":{{"container.apparmor.security.beta.kubernetes.io/c":"{profile}"}}}},
            "spec":{{{spec}"containers":[{{"name":"c"}}]}}}}"#
        )
    };
    let shared = r#""securityContext":{"appArmorProfile":{"type":"Unconfined"}},"#;
    for (profile, spec) in [
        ("unconfined", r#""os":{"name":"windows"},"#),
        ("unconfined", shared),
        ("localhost/", ""),
        ("else", ""),
    ] {
        check_new("v1", "Pod", &annotated(profile, spec), &annotated(profile, spec));
    }
    check_new(
        "v1",
        "PersistentVolumeClaim",
        r#"{"spec":{"resources":{},"dataSource":{"apiGroup":null,"kind":"PersistentVolumeClaim",
            "name":"c"}}}"#,
        r#"{"spec":{"resources":{},"dataSource":{"apiGroup":null,"kind":"PersistentVolumeClaim","name":"c"},
            "dataSourceRef":{"apiGroup":null,"kind":"PersistentVolumeClaim","name":"c"}}}"#,
    );
    let both = r#"{"spec":{"resources":{},"dataSource":{"apiGroup":"a.io","kind":"A","name":"c"},
        "dataSourceRef":{"apiGroup":"a.io","kind":"B","name":"c"}}}"#;
    check_new("v1", "PersistentVolumeClaim", both, both);
}

#[test]
fn label_keys_become_part_of_selectors() {
    check_new(
        "v1",
        "Pod",
        r#"{"metadata":{"labels":{"a":"1","b":"2"}},"spec":{"affinity":{"podAntiAffinity":{
            "requiredDuringSchedulingIgnoredDuringExecution":[{"labelSelector":{"matchLabels":{"x":"y"}},
            "topologyKey":"t","matchLabelKeys":["a","none"],"mismatchLabelKeys":["b"]},
            {"topologyKey":"t","matchLabelKeys":["a"]}]}}}}"#,
        r#"{"metadata":{"labels":{"a":"1","b":"2"}},"spec":{"affinity":{"podAntiAffinity":{
            "requiredDuringSchedulingIgnoredDuringExecution":[{"labelSelector":{"matchLabels":{"x":"y"},
            "matchExpressions":[{"key":"a","operator":"In","values":["1"]},
            {"key":"b","operator":"NotIn","values":["2"]}]},
            "topologyKey":"t","matchLabelKeys":["a","none"],"mismatchLabelKeys":["b"]},
            {"topologyKey":"t","matchLabelKeys":["a"]}]}}}}"#,
    );
    check_new(
        "v1",
        "Pod",
        r#"{"metadata":{"labels":{"a":"1"}},"spec":{"topologySpreadConstraints":[{"labelSelector":{},
            "matchLabelKeys":["a"]}]}}"#,
        r#"{"metadata":{"labels":{"a":"1"}},"spec":{"topologySpreadConstraints":[{"labelSelector":{
            "matchExpressions":[{"key":"a","operator":"In","values":["1"]}]},"matchLabelKeys":["a"]}]}}"#,
    );
}
