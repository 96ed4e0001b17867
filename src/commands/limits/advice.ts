import type { Advice } from '../../limiters/settings.ts'
import type { LimitAdvice } from '../../report/contract.ts'

/** Advice as documents have it. */
export function adviceDocument(advice: readonly Advice[]): LimitAdvice[] {
  return advice.map(({ severity, setting, message, fix = null }) => ({ severity, setting, message, fix }))
}
