//! Arguments of calls about counters.

use schemars::JsonSchema;
use serde::Deserialize;

call! {
    /// Arguments of `ptl_ct_alloc`.
    CtAlloc {
        /// Its name.
        ct: String,
    }
}

call! {
    /// Arguments of `ptl_ct_free`.
    CtFree {
        /// Counter.
        ct: String,
    }
}

call! {
    /// Arguments of `ptl_ct_inc`; only one of the numbers may be other than 0.
    CtInc {
        /// Counter.
        ct: String,
        /// Successes more.
        #[serde(default)]
        success: u64,
        /// Failures more.
        #[serde(default)]
        failure: u64,
    }
}

call! {
    /// Arguments of `ptl_ct_set`.
    CtSet {
        /// Counter.
        ct: String,
        /// Successes.
        #[serde(default)]
        success: u64,
        /// Failures.
        #[serde(default)]
        failure: u64,
    }
}

call! {
    /// Arguments of `ptl_ct_cancel_triggered`.
    CtCancel {
        /// Counter.
        ct: String,
    }
}

call! {
    /// Arguments of `ptl_ct_get`.
    CtGet {
        /// Counter.
        ct: String,
        /// Expected successes; left out: any.
        #[serde(default)]
        success: Option<u64>,
        /// Expected failures; left out: any.
        #[serde(default)]
        failure: Option<u64>,
    }
}

call! {
    /// Arguments of `ptl_ct_wait`.
    CtWait {
        /// Counter.
        ct: String,
        /// Threshold.
        threshold: u64,
    }
}
