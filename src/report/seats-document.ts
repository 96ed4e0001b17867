/** The seats of each level, as the contract writes them. */
import type { LevelAccount, ServerAccount } from '../analysis/seats.ts'
import { API_VERSION, type Coverage, type Seats, type SeatsLevel } from './contract.ts'

export function seatsDocument(servers: readonly ServerAccount[], coverage: Coverage): Seats {
  return {
    apiVersion: API_VERSION,
    kind: 'Seats',
    servers: servers.map(({ name, limit, levels, unknown }) => ({
      name,
      serverConcurrencyLimit: { value: limit.value, source: limit.source },
      levels: levels.map(levelDocument),
      unknown: unknown.map(({ field, why }) => ({ field, why })),
    })),
    coverage,
  }
}

/** One level. */
export function levelDocument(level: LevelAccount): SeatsLevel {
  return {
    name: level.name,
    type: level.type,
    response: level.response,
    shares: level.shares,
    nominal: level.nominal,
    lendable: level.lendable,
    lower: level.lower,
    upper: level.upper,
    reachable: level.reachable,
    current: level.current,
    maxSeatsPerRequest: level.maxSeatsPerRequest,
    maxFinalSeats: level.maxFinalSeats,
    executingSeats: level.executingSeats,
    executingRequests: level.executingRequests,
    waitingRequests: level.waitingRequests,
    demandHighWatermark: level.demandHighWatermark,
    demandSmoothed: level.demandSmoothed,
    nextTarget: level.nextTarget,
    rejected: level.rejected,
    rejectedBy: level.rejectedBy.map(({ flowSchema, reason, count, perSecond }) => ({
      flowSchema,
      reason,
      count,
      perSecond,
    })),
  }
}
