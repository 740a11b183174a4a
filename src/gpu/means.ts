/**
 * What a device may have more of than every device has. Faster ways ask here, or for `gpu.subgroupSize`, and nowhere else. Where there is
 * less, kernels have fewer threads, or another way is taken; the tables are the same.
 */

/** Threads of a workgroup that every device allows. */
const THREADS_ANYWHERE = 256;

/** As many threads of a workgroup as are wanted, if the device allows so many. */
export const threadsOn = ({ maxComputeInvocationsPerWorkgroup }: GPUSupportedLimits, wanted: number): number =>
  wanted <= maxComputeInvocationsPerWorkgroup ? wanted : THREADS_ANYWHERE;

/** Bytes of memory that a workgroup may have; 16,384 on every device. */
export const workgroupBytes = ({ maxComputeWorkgroupStorageSize }: GPUSupportedLimits): number =>
  maxComputeWorkgroupStorageSize;
