/** How much of real traffic a change moves. */
import { type CompiledClassifier, compileClassifier } from '../../apf/compiled-classifier.ts'
import { bypassesFairness } from '../../apf/long-running.ts'
import type { RequestAttributes } from '../../apf/request.ts'
import { isRefused } from '../../apf/request-info.ts'
import { isMalformed, parseRequestLine } from '../../apf/request-line.ts'
import { type LevelSeats, levelSeats } from '../../apf/seats.ts'
import type { StoredObjects } from '../../apf/work-estimate.ts'
import { cubeContains } from '../../regions/identity.ts'
import { regionContains } from '../../regions/region.ts'
import type { Move } from '../moves.ts'
import { plainWork } from '../request-cost.ts'
import type { RoutingState } from './detours.ts'

export interface MovedTraffic {
  requests: number
  /** By the server's own estimate of their work. */
  seatSeconds: number
}

export interface WeighedTraffic {
  /** Requests that are classified both before and after. */
  total: MovedTraffic
  moved: MovedTraffic
  /** By move. */
  byMove: ReadonlyMap<Move, MovedTraffic>
  malformed: number
}

/**
 * The server's fixed estimate of how long a request takes.
 * Source: kubernetes/apiserver pkg/util/flowcontrol/fairqueuing/queueset/queueset.go (estimatedServiceDuration)
 */
const ESTIMATED_SECONDS = 0.003

/** Takes request lines one by one; memory does not grow with them. */
export class TrafficScale {
  readonly #before: CompiledClassifier
  readonly #after: CompiledClassifier
  readonly #rules: { before: RoutingState['rules']; after: RoutingState['rules'] }
  readonly #moves = new Map<string, Move[]>()
  readonly #byMove = new Map<Move, MovedTraffic>()
  readonly #total: MovedTraffic = { requests: 0, seatSeconds: 0 }
  readonly #moved: MovedTraffic = { requests: 0, seatSeconds: 0 }
  readonly #caps: ReadonlyMap<string, LevelSeats>
  readonly #stored: (request: RequestAttributes) => StoredObjects | null
  #malformed = 0

  /**
   * @param serverSeats  of one API server before; null: not known, so that no level caps a request
   * @param stored  objects of the resource of a request; null: not known, taken for none
   */
  constructor(
    before: RoutingState,
    after: RoutingState,
    moves: readonly Move[],
    serverSeats: number | null,
    stored: (request: RequestAttributes) => StoredObjects | null,
  ) {
    this.#before = compileClassifier(before.configuration)
    this.#after = compileClassifier(after.configuration)
    this.#rules = { before: before.rules, after: after.rules }
    for (const move of moves) {
      const key = keyOf(move.from.schema.metadata.name, move.to.schema.metadata.name)
      this.#moves.set(key, [...(this.#moves.get(key) ?? []), move])
    }
    const levels =
      serverSeats === null ? [] : levelSeats(before.configuration.levels.values(), serverSeats, before.rules)
    this.#caps = new Map(levels.map((level) => [level.name, level]))
    this.#stored = stored
  }

  /** @returns why the line is none, or null */
  add(text: string): string | null {
    const line = parseRequestLine(text)
    if (isMalformed(line)) {
      this.#malformed++
      return line.malformed
    }
    const { identity, request } = line
    if (isRefused(request) || this.#bypasses(request)) return null
    const from = this.#before.find(identity, request).entry
    const to = this.#after.find(identity, request).entry
    const seatSeconds = this.#workOf(request, from.level.metadata.name)
    weigh(this.#total, seatSeconds)
    const candidates = this.#moves.get(keyOf(from.schema.metadata.name, to.schema.metadata.name)) ?? []
    const move = candidates.find(
      ({ identities, requests }) =>
        identities.some((cube) => cubeContains(cube, identity)) && regionContains(requests, request),
    )
    if (move === undefined) return null
    weigh(this.#moved, seatSeconds)
    const ofMove = this.#byMove.get(move) ?? { requests: 0, seatSeconds: 0 }
    weigh(ofMove, seatSeconds)
    this.#byMove.set(move, ofMove)
    return null
  }

  weighed(): WeighedTraffic {
    return { total: this.#total, moved: this.#moved, byMove: this.#byMove, malformed: this.#malformed }
  }

  #bypasses(request: RequestAttributes): boolean {
    return bypassesFairness(request, this.#rules.before) || bypassesFairness(request, this.#rules.after)
  }

  #workOf(request: RequestAttributes, level: string): number {
    const rules = this.#rules.before
    const stored = this.#stored(request) ?? { count: 0, averageBytes: 0 }
    const work = plainWork(request, stored, this.#caps.get(level) ?? null, rules)
    const { initialSeats, finalSeats, additionalLatencyNanoseconds } = work
    return initialSeats * ESTIMATED_SECONDS + (finalSeats * additionalLatencyNanoseconds) / 1e9
  }
}

function weigh(traffic: MovedTraffic, seatSeconds: number): void {
  traffic.requests++
  traffic.seatSeconds += seatSeconds
}

function keyOf(from: string, to: string): string {
  return JSON.stringify([from, to])
}
