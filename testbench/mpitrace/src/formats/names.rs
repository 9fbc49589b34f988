//! Names of MPI functions, and sizes of its datatypes.

/// Collectives, as CSV and the functions of MPI name them in lower case.
const COLLECTIVES: [&str; 16] = [
    "allgather",
    "allgatherv",
    "allreduce",
    "alltoall",
    "alltoallv",
    "alltoallw",
    "barrier",
    "bcast",
    "exscan",
    "gather",
    "gatherv",
    "reduce",
    "reduce_scatter",
    "scan",
    "scatter",
    "scatterv",
];

/// Accesses to windows.
const ONE_SIDED: [&str; 3] = ["accumulate", "get", "put"];

/// The collective of this name in lower case.
pub(super) fn collective(name: &str) -> Option<&'static str> {
    COLLECTIVES.into_iter().find(|known| *known == name)
}

/// The access to a window of this name in lower case.
pub(super) fn one_sided(name: &str) -> Option<&'static str> {
    ONE_SIDED.into_iter().find(|known| *known == name)
}

/// Bytes of a datatype of C, where `long` has 8; `None`: user-defined, or not known.
pub(super) fn bytes_of(datatype: &str) -> Option<u64> {
    Some(match datatype {
        "MPI_CHAR" | "MPI_SIGNED_CHAR" | "MPI_UNSIGNED_CHAR" | "MPI_BYTE" | "MPI_PACKED" => 1,
        "MPI_SHORT" | "MPI_UNSIGNED_SHORT" => 2,
        "MPI_INT" | "MPI_UNSIGNED" | "MPI_FLOAT" | "MPI_WCHAR" => 4,
        "MPI_LONG" | "MPI_UNSIGNED_LONG" | "MPI_DOUBLE" => 8,
        "MPI_LONG_LONG" | "MPI_LONG_LONG_INT" | "MPI_UNSIGNED_LONG_LONG" => 8,
        "MPI_2INT" | "MPI_FLOAT_INT" => 8,
        _ => return None,
    })
}
