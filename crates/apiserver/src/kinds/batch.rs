//! The kinds of the group batch.

pub(crate) mod cron_job;
pub(crate) mod index;
pub(crate) mod job;
pub(crate) mod job_template;
pub(crate) mod schedule;
pub(crate) mod time_zone;

pub(crate) use cron_job::CronJob;
pub(crate) use job::Job;
