/** Every setting of the limiters other than APF, in words: for the offline documentation. */
import { CILIUM_SETTINGS } from './cilium-advice.ts'
import { CLIENT_SETTINGS } from './client-texts.ts'
import { EVENT_SETTINGS } from './event-rate-limit-advice.ts'
import { INFLIGHT_SETTINGS } from './max-in-flight.ts'
import type { SettingText } from './settings.ts'

export const LIMITER_SETTINGS: readonly SettingText[] = [
  ...CLIENT_SETTINGS,
  ...EVENT_SETTINGS,
  ...CILIUM_SETTINGS,
  ...INFLIGHT_SETTINGS,
]
