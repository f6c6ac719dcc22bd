//! Tests of controllers, in one program: to link one for each file took minutes.

#[path = "../cluster/mod.rs"]
mod cluster;

mod behaviour;
mod beside;
mod certificates;
mod containers;
mod control;
mod cron_jobs;
mod daemon_sets;
mod disruption;
mod endpoint_slices;
mod endpoints;
mod ends;
mod exec;
mod horizontal_pod_autoscalers;
mod jobs;
mod jobs_amiss;
mod logs;
mod needed;
mod node_lifecycle;
mod nodes;
mod persistent_volumes;
mod pod_garbage;
mod policies;
mod quotas;
mod scenes;
mod scenes_of_the_page;
mod scheduler;
mod servers;
mod service_account_tokens;
mod service_cidrs;
mod state;
mod stateful_set_updates;
mod stateful_sets;
mod volumes;
