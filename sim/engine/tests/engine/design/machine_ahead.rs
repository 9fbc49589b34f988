mod machine {
pub(super) fn f0(b: &mut [u64]) {
let Some(b) = b.first_chunk_mut::<22>() else { return };
let v5: u64 = b[3].wrapping_shl(0x10u64 as u32);
let v8: u64 = b[8].wrapping_shl(0x4u64 as u32);
let v10: u64 = v8 | b[2];
let v11: u64 = v5 | v10;
let v13: u64 = if b[1] != 0 { v11 } else { b[5] };
let v15: u64 = (0x0u64 == b[7]) as u64;
let v16: u64 = if v15 != 0 { v13 } else { b[5] };
b[11] = v16;
let v19: u64 = b[3].wrapping_shr(0x30u64 as u32);
let v21: u64 = b[4].wrapping_shl(0x10u64 as u32);
let v22: u64 = v19 | v21;
let v23: u64 = if b[1] != 0 { v22 } else { b[6] };
let v24: u64 = if v15 != 0 { v23 } else { b[6] };
b[12] = v24;
let v26: u64 = if b[1] != 0 { b[7] } else { 0x2u64 };
let v28: u64 = (b[7] == 0x1u64) as u64;
let v29: u64 = if v28 != 0 { v26 } else { 0x0u64 };
let v30: u64 = if b[1] != 0 { 0x1u64 } else { b[7] };
let v31: u64 = if v15 != 0 { v30 } else { v29 };
let v33: u64 = if b[0] != 0 { 0x0u64 } else { v31 };
b[13] = v33;
let v34: u64 = b[8].wrapping_add(0x1u64);
let v36: u64 = v34 & 0xfffu64;
let v37: u64 = if b[0] != 0 { 0x0u64 } else { v36 };
b[14] = v37;
let v40: u64 = b[8] & 0xffu64;
let v41: u64 = b[9].wrapping_add(v40);
let v42: u64 = 0xffu64 & v41;
let v43: u64 = v15 ^ 0x1u64;
let v44: u64 = v28 & v43;
b[19] = v44;
let v45: u64 = if v44 != 0 { v42 } else { b[9] };
b[15] = v45;
let v46: u64 = b[10];
b[20] = v46;
let v47: u64 = b[9].wrapping_add(v46);
let v48: u64 = 0xffu64 & v47;
let v49: u64 = if v44 != 0 { v48 } else { v46 };
b[16] = v49;
let v50: u64 = 0xffffffffffffffffu64 ^ b[3];
b[17] = v50;
let v52: u64 = b[4] ^ 0xffffu64;
b[18] = v52;
let v53: u64 = b[5].wrapping_shr(0x4u64 as u32);
let v54: u64 = 0xfffu64 & v53;
b[21] = v54;
}
}
/// Generated code of a design.
pub static MACHINE: xtq_engine::Ahead = xtq_engine::Ahead {
fingerprint: 0x80535611a5ce7a29,
words: 22,
functions: &[machine::f0],
};
