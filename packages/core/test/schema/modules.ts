import * as Schema from "effect/Schema"
import * as Cancellation from "../../src/schema/Cancellation.ts"
import * as Capabilities from "../../src/schema/Capabilities.ts"
import * as Common from "../../src/schema/Common.ts"
import * as Completion from "../../src/schema/Completion.ts"
import * as Content from "../../src/schema/Content.ts"
import * as Elicitation from "../../src/schema/Elicitation.ts"
import * as ElicitationSchema from "../../src/schema/ElicitationSchema.ts"
import * as InputRequired from "../../src/schema/InputRequired.ts"
import * as Lifecycle from "../../src/schema/Lifecycle.ts"
import * as Logging from "../../src/schema/Logging.ts"
import * as Params from "../../src/schema/Params.ts"
import * as Progress from "../../src/schema/Progress.ts"
import * as Prompts from "../../src/schema/Prompts.ts"
import * as Resources from "../../src/schema/Resources.ts"
import * as Roots from "../../src/schema/Roots.ts"
import * as Sampling from "../../src/schema/Sampling.ts"
import * as Subscriptions from "../../src/schema/Subscriptions.ts"
import * as Tools from "../../src/schema/Tools.ts"

export type AnyCodec = Schema.Codec<unknown>

const isCodec = (u: unknown): u is AnyCodec => Schema.isSchema(u)

const modules: Record<string, object> = {
  Cancellation,
  Capabilities,
  Common,
  Completion,
  Content,
  Elicitation,
  ElicitationSchema,
  InputRequired,
  Lifecycle,
  Logging,
  Params,
  Progress,
  Prompts,
  Resources,
  Roots,
  Sampling,
  Subscriptions,
  Tools
}

/** Every exported schema of the message model, by module and name. */
export const schemas: ReadonlyArray<readonly [module: string, name: string, schema: AnyCodec]> = Object.entries(modules)
  .flatMap(([module, exports]) =>
    Object.entries(exports).flatMap(([name, value]: [string, unknown]) =>
      isCodec(value) ? [[module, name, value] as const] : []
    )
  )

/** The same by name only; names are unique but for re-exports. */
export const schemaByName: ReadonlyMap<string, AnyCodec> = new Map(schemas.map(([, name, schema]) => [name, schema]))

export const isObject = (u: unknown): u is Record<string, unknown> =>
  typeof u === "object" && u !== null && !Array.isArray(u)

/** What a peer receives when a value is sent. */
export const overTheWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
