//! The kinds of the group batch.

pub(crate) mod cron_job;
pub(crate) mod job;

pub(crate) use cron_job::CronJob;
pub(crate) use job::Job;
