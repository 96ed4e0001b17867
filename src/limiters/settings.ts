/** What a setting of a limiter means: data for `limits` and for the offline documentation. */
export interface SettingText {
  /** As it is written: a flag, a field, or an option. */
  name: string
  /** Which limiter has it: `client-go`, `EventRateLimit`, `Cilium API limiter`, `MaxInFlight`. */
  limiter: string
  /** In words, with what it depends on. */
  unless: string
  /** What it does, in one or two sentences. */
  does: string
  /** What surprises people, or what to look at before changing it; absent where nothing does. */
  beware?: string
}

/** Something to know or to change about settings that the component accepts. */
export interface Advice {
  severity: 'warning' | 'info'
  /** The setting meant; null for all of them together. */
  setting: string | null
  message: string
  /** What to do; absent where nothing has to be done. */
  fix?: string
}
