/**
 * Defaults that decoding fills in, on every read and write.
 * Source: kubernetes/kubernetes pkg/apis/flowcontrol/v1 and v1beta1 … v1beta3 (defaults.go).
 */
import type { ExemptSpec, LimitedSpec, QueuingConfiguration } from './objects.ts'
import type { ApiVersion, VersionRules } from './versions.ts'
import { API_VERSIONS } from './versions.ts'

/** Keeps zero shares through v1beta3, which cannot express them; any value, presence counts. */
export const PRESERVE_ZERO_ANNOTATION = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares'

export const DEFAULT_PRECEDENCE = 1000
export const DEFAULT_SHARES = 30
export const DEFAULT_QUEUES = 64
export const DEFAULT_HAND_SIZE = 8
export const DEFAULT_QUEUE_LENGTH_LIMIT = 50

/** A block as written: null where a number was absent or null. */
export type Written<T> = { [K in keyof T]: T[K] extends number | null ? number | null : T[K] }

/** `matchingPrecedence` after defaulting; 0 counts as absent. */
export function defaultedPrecedence(written: number | null): number {
  return written || DEFAULT_PRECEDENCE
}

/** Shares of a Limited level after defaulting. Absent shares in v1beta3 are zero, so the annotation keeps that zero too. */
export function defaultedShares(
  written: number | null,
  apiVersion: ApiVersion,
  annotations: Readonly<Record<string, string>>,
  rules: VersionRules,
): number {
  const { zeroShares } = API_VERSIONS[apiVersion]
  if (zeroShares === 'kept') return written ?? DEFAULT_SHARES
  if (zeroShares === 'kept-by-annotation' && preservesZero(annotations, rules)) return written ?? 0
  return written || DEFAULT_SHARES
}

/** The annotations that remain of those a level of v1beta3 was sent with: the one that keeps zeros is consumed. */
export function remainingAnnotations(
  annotations: Record<string, string>,
  apiVersion: ApiVersion,
  rules: VersionRules,
): Record<string, string> {
  if (API_VERSIONS[apiVersion].zeroShares !== 'kept-by-annotation' || !preservesZero(annotations, rules)) {
    return annotations
  }
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => key !== PRESERVE_ZERO_ANNOTATION))
}

/** `limited` without its shares and response. An absent borrowing limit stays absent: no limit. */
export function defaultedLending(
  written: Pick<Written<LimitedSpec>, 'lendablePercent' | 'borrowingLimitPercent'>,
): Pick<LimitedSpec, 'lendablePercent' | 'borrowingLimitPercent'> {
  return { lendablePercent: written.lendablePercent ?? 0, borrowingLimitPercent: written.borrowingLimitPercent }
}

/** Zero counts as absent in each field. */
export function defaultedQueuing(written: Written<QueuingConfiguration>): QueuingConfiguration {
  return {
    queues: written.queues || DEFAULT_QUEUES,
    handSize: written.handSize || DEFAULT_HAND_SIZE,
    queueLengthLimit: written.queueLengthLimit || DEFAULT_QUEUE_LENGTH_LIMIT,
  }
}

export function defaultedExempt(written: Written<ExemptSpec>): ExemptSpec {
  return {
    nominalConcurrencyShares: written.nominalConcurrencyShares ?? 0,
    lendablePercent: written.lendablePercent ?? 0,
  }
}

function preservesZero(annotations: Readonly<Record<string, string>>, rules: VersionRules): boolean {
  return rules.preserveZeroAnnotation && Object.hasOwn(annotations, PRESERVE_ZERO_ANNOTATION)
}
