//! How bundles are spelt. The build script of `rtl/catalogue` takes this file in, so it uses nothing.

/// What a bundle's member is called outside the kernel: `own_valid`, but `m_axi_awvalid` as AXI has it, and
/// `s_axis_net_tvalid` as AXI4-Stream.
pub fn member(bundle: &str, member: &str) -> String {
    match (bundle.contains("axi_"), bundle.contains("axis_")) {
        (true, _) => format!("{bundle}{member}"),
        (_, true) => format!("{bundle}_t{member}"),
        _ => format!("{bundle}_{member}"),
    }
}
