//! `AtomicCodes`: the codes of [`operation`] and [`datatype`] as signals.
//!
//! **Purpose.** A kernel cannot name a Rust constant; it names an output of this block instead, so that every code is
//! typed once.
//!
//! ```text
//!   +-------------+--> min, max, ... (operation)
//!   | AtomicCodes |
//!   +-------------+--> int8, uint8, ... (datatype)
//! ```
//!
//! **Contract.** Constant outputs, 8 bits each. No clock, no cost: synthesis folds them.
//!
//! **Internals.** One [`Constant`] an output.

use rust_hdl::prelude::*;
use xtq_types::atomic::{datatype, operation};

constants! {
    /// The codes of operations and datatypes that are built.
    pub struct AtomicCodes : 8 {
        /// [`operation::MIN`].
        min / min_code = operation::MIN;
        /// [`operation::MAX`].
        max / max_code = operation::MAX;
        /// [`operation::SUM`].
        sum / sum_code = operation::SUM;
        /// [`operation::PROD`].
        prod / prod_code = operation::PROD;
        /// [`operation::LOR`].
        lor / lor_code = operation::LOR;
        /// [`operation::LAND`].
        land / land_code = operation::LAND;
        /// [`operation::BOR`].
        bor / bor_code = operation::BOR;
        /// [`operation::BAND`].
        band / band_code = operation::BAND;
        /// [`operation::LXOR`].
        lxor / lxor_code = operation::LXOR;
        /// [`operation::BXOR`].
        bxor / bxor_code = operation::BXOR;
        /// [`operation::SWAP`].
        swap / swap_code = operation::SWAP;
        /// [`operation::CSWAP`].
        cswap / cswap_code = operation::CSWAP;
        /// [`operation::CSWAP_NE`].
        cswap_ne / cswap_ne_code = operation::CSWAP_NE;
        /// [`operation::CSWAP_LE`].
        cswap_le / cswap_le_code = operation::CSWAP_LE;
        /// [`operation::CSWAP_LT`].
        cswap_lt / cswap_lt_code = operation::CSWAP_LT;
        /// [`operation::CSWAP_GE`].
        cswap_ge / cswap_ge_code = operation::CSWAP_GE;
        /// [`operation::CSWAP_GT`].
        cswap_gt / cswap_gt_code = operation::CSWAP_GT;
        /// [`operation::MSWAP`].
        mswap / mswap_code = operation::MSWAP;
        /// [`datatype::INT8`].
        int8 / int8_code = datatype::INT8;
        /// [`datatype::INT16`].
        int16 / int16_code = datatype::INT16;
        /// [`datatype::UINT16`].
        uint16 / uint16_code = datatype::UINT16;
        /// [`datatype::INT32`].
        int32 / int32_code = datatype::INT32;
        /// [`datatype::UINT32`].
        uint32 / uint32_code = datatype::UINT32;
        /// [`datatype::FLOAT`].
        float / float_code = datatype::FLOAT;
        /// [`datatype::INT64`].
        int64 / int64_code = datatype::INT64;
        /// [`datatype::UINT64`].
        uint64 / uint64_code = datatype::UINT64;
        /// [`datatype::DOUBLE`].
        double / double_code = datatype::DOUBLE;
        /// [`datatype::FLOAT_COMPLEX`].
        float_complex / float_complex_code = datatype::FLOAT_COMPLEX;
        /// [`datatype::DOUBLE_COMPLEX`].
        double_complex / double_complex_code = datatype::DOUBLE_COMPLEX;
        /// [`datatype::LONG_DOUBLE`].
        long_double / long_double_code = datatype::LONG_DOUBLE;
        /// [`datatype::LONG_DOUBLE_COMPLEX`].
        long_double_complex / long_double_complex_code = datatype::LONG_DOUBLE_COMPLEX;
    }
}
