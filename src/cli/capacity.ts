/** How many seats one API server has, by the first that tells. */
import type { ServerSeatsLimit } from '../analysis/seats.ts'
import { DEFAULT_INFLIGHT_FLAGS, serverLimit } from '../apf/server-limit.ts'
import type { VersionRules } from '../apf/versions.ts'
import { usageError } from './errors.ts'

export interface CapacityFlagValues {
  'server-seats'?: number | undefined
  'max-requests-inflight'?: number | undefined
  'max-mutating-requests-inflight'?: number | undefined
}

/**
 * In this order: --server-seats, the server itself, the in-flight flags, offline the default of a server without flags.
 * @param told  by the server; null where none was asked
 * @throws CliError (exit 2) for flags with which no server starts
 */
export function limitOf(
  told: ServerSeatsLimit | null,
  live: boolean,
  flags: CapacityFlagValues,
  rules: VersionRules,
): ServerSeatsLimit {
  const given = flags['server-seats']
  if (given !== undefined) return { value: given, source: 'given' }
  if (told !== null && told.value !== null) return told
  const read = flags['max-requests-inflight']
  const mutating = flags['max-mutating-requests-inflight']
  if (read === undefined && mutating === undefined && live) return { value: null, source: null }
  const inflight = {
    maxRequestsInflight: read ?? DEFAULT_INFLIGHT_FLAGS.maxRequestsInflight,
    maxMutatingRequestsInflight: mutating ?? DEFAULT_INFLIGHT_FLAGS.maxMutatingRequestsInflight,
  }
  const limit = serverLimit(inflight, true, rules)
  if (limit.mode !== 'APF') {
    const why =
      limit.mode === 'Refused' && limit.because === 'negative-flag'
        ? 'a limit is negative'
        : 'their sum is not positive'
    throw usageError('no API server of this version starts with these in-flight limits', why)
  }
  const source = read === undefined && mutating === undefined ? 'assumed-default' : 'inflight-flags'
  return { value: limit.serverSeats, source }
}
