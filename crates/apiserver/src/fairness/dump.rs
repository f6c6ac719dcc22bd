//! Tables of the levels and of their queues, for people who look for what is slow.
//!
//! <https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#debug-endpoints>

use super::{Fairness, State};

/// The narrowest column.
const NARROWEST: usize = 8;

const LEVELS: [&str; 10] = [
    "PriorityLevelName",
    "ActiveQueues",
    "IsIdle",
    "IsQuiescing",
    "WaitingRequests",
    "ExecutingRequests",
    "DispatchedRequests",
    "RejectedRequests",
    "TimedoutRequests",
    "CancelledRequests",
];
const QUEUES: [&str; 9] = [
    "PriorityLevelName",
    "Index",
    "PendingRequests",
    "ExecutingRequests",
    "SeatsInUse",
    "NextDispatchR",
    "InitialSeatsSum",
    "MaxSeatsSum",
    "TotalWorkSum",
];

impl Fairness {
    /// Returns the table of this name, if there is one.
    pub(crate) fn dump(&self, name: &str) -> Option<String> {
        let state = self.state();
        match name {
            "dump_priority_levels" => Some(table(&LEVELS, levels(&state))),
            "dump_queues" => Some(table(&QUEUES, queues(&state))),
            _ => None,
        }
    }
}

fn levels(state: &State) -> Vec<Vec<String>> {
    let row = |(name, level): (&String, &super::Level)| {
        let queues = &level.queues;
        let active = queues.all().iter().filter(|queue| queue.waiting() > 0).count();
        let (totals, is_idle) = (&level.totals, queues.is_idle());
        vec![
            name.clone(),
            active.to_string(),
            is_idle.to_string(),
            level.is_quiescing.to_string(),
            queues.waiting.to_string(),
            queues.executing.to_string(),
            totals.dispatched.to_string(),
            totals.rejected.to_string(),
            // kube-apiserver counts those as cancelled.
            "0".to_owned(),
            totals.cancelled.to_string(),
        ]
    };
    state.levels.iter().map(row).collect()
}

fn queues(state: &State) -> Vec<Vec<String>> {
    let rows = state.levels.iter().flat_map(|(name, level)| {
        level.queues.all().iter().enumerate().map(move |(index, queue)| {
            let waiting = queue.seats_waiting().to_string();
            vec![
                name.clone(),
                index.to_string(),
                queue.waiting().to_string(),
                queue.executing().to_string(),
                queue.seats().to_string(),
                format!("{:.8}ss", queue.next()),
                waiting.clone(),
                waiting,
                format!("{:.8}ss", queue.work_waiting()),
            ]
        })
    });
    rows.collect()
}

/// Returns a table as Go's tabwriter aligns it: each column is one wider than its widest cell, and the last one is as it is.
fn table(headers: &[&str], rows: Vec<Vec<String>>) -> String {
    let headers = headers.iter().map(|header| (*header).to_owned()).collect();
    let rows: Vec<Vec<String>> = std::iter::once(headers).chain(rows).collect();
    let width = |column: usize| {
        let widest = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count() + 1).max();
        (widest.unwrap_or_default() + 1).max(NARROWEST)
    };
    let count = rows.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..count).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        for (column, cell) in row.iter().enumerate() {
            if column + 1 == count {
                text += &[cell, "\n"].concat();
            } else {
                text += &format!("{:width$}", [cell, ","].concat(), width = widths[column]);
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_aligned() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let found = table(&["Name", "A", "B"], vec![row(["workload-low", "1", "x"]), row(["a", "22", ""])]);
        assert_eq!(found, "Name,         A,      B\nworkload-low, 1,      x\na,            22,     \n");
    }
}
