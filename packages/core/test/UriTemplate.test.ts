import * as UriTemplate from "@effect-mcp/core/UriTemplate"
import { assert, describe, it } from "@effect/vitest"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const make = (template: string) => Result.getOrThrow(UriTemplate.parse(template))

const match = (template: string, uri: string) => Option.getOrUndefined(UriTemplate.match(make(template), uri))

const values: UriTemplate.Values = {
  count: ["one", "two", "three"],
  dom: ["example", "com"],
  dub: "me/too",
  hello: "Hello World!",
  half: "50%",
  var: "value",
  who: "fred",
  base: "http://example.com/home/",
  path: "/foo/bar",
  list: ["red", "green", "blue"],
  keys: { semi: ";", dot: ".", comma: "," },
  v: "6",
  x: "1024",
  y: "768",
  empty: "",
  empty_keys: {},
  undef: undefined
}

// The examples of RFC 6570, section 3.2.
const examples: ReadonlyArray<readonly [template: string, uri: string]> = [
  ["{count}", "one,two,three"],
  ["{count*}", "one,two,three"],
  ["{/count}", "/one,two,three"],
  ["{/count*}", "/one/two/three"],
  ["{;count}", ";count=one,two,three"],
  ["{;count*}", ";count=one;count=two;count=three"],
  ["{?count}", "?count=one,two,three"],
  ["{?count*}", "?count=one&count=two&count=three"],
  ["{&count*}", "&count=one&count=two&count=three"],
  ["{var}", "value"],
  ["{hello}", "Hello%20World%21"],
  ["{half}", "50%25"],
  ["O{empty}X", "OX"],
  ["O{undef}X", "OX"],
  ["{x,y}", "1024,768"],
  ["{x,hello,y}", "1024,Hello%20World%21,768"],
  ["?{x,empty}", "?1024,"],
  ["?{x,undef}", "?1024"],
  ["?{undef,y}", "?768"],
  ["{var:3}", "val"],
  ["{var:30}", "value"],
  ["{list}", "red,green,blue"],
  ["{list*}", "red,green,blue"],
  ["{keys}", "semi,%3B,dot,.,comma,%2C"],
  ["{keys*}", "semi=%3B,dot=.,comma=%2C"],
  ["{+var}", "value"],
  ["{+hello}", "Hello%20World!"],
  ["{+half}", "50%25"],
  ["{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"],
  ["{+base}index", "http://example.com/home/index"],
  ["O{+empty}X", "OX"],
  ["O{+undef}X", "OX"],
  ["{+path}/here", "/foo/bar/here"],
  ["here?ref={+path}", "here?ref=/foo/bar"],
  ["up{+path}{var}/here", "up/foo/barvalue/here"],
  ["{+x,hello,y}", "1024,Hello%20World!,768"],
  ["{+path,x}/here", "/foo/bar,1024/here"],
  ["{+path:6}/here", "/foo/b/here"],
  ["{+list}", "red,green,blue"],
  ["{+list*}", "red,green,blue"],
  ["{+keys}", "semi,;,dot,.,comma,,"],
  ["{+keys*}", "semi=;,dot=.,comma=,"],
  ["{#var}", "#value"],
  ["{#hello}", "#Hello%20World!"],
  ["{#half}", "#50%25"],
  ["foo{#empty}", "foo#"],
  ["foo{#undef}", "foo"],
  ["{#x,hello,y}", "#1024,Hello%20World!,768"],
  ["{#path,x}/here", "#/foo/bar,1024/here"],
  ["{#path:6}/here", "#/foo/b/here"],
  ["{#list*}", "#red,green,blue"],
  ["{#keys*}", "#semi=;,dot=.,comma=,"],
  ["{.who}", ".fred"],
  ["{.who,who}", ".fred.fred"],
  ["{.half,who}", ".50%25.fred"],
  ["www{.dom*}", "www.example.com"],
  ["X{.var}", "X.value"],
  ["X{.empty}", "X."],
  ["X{.undef}", "X"],
  ["X{.var:3}", "X.val"],
  ["X{.list}", "X.red,green,blue"],
  ["X{.list*}", "X.red.green.blue"],
  ["X{.keys}", "X.semi,%3B,dot,.,comma,%2C"],
  ["X{.keys*}", "X.semi=%3B.dot=..comma=%2C"],
  ["X{.empty_keys}", "X"],
  ["X{.empty_keys*}", "X"],
  ["{/who}", "/fred"],
  ["{/who,who}", "/fred/fred"],
  ["{/half,who}", "/50%25/fred"],
  ["{/who,dub}", "/fred/me%2Ftoo"],
  ["{/var,empty}", "/value/"],
  ["{/var,undef}", "/value"],
  ["{/var,x}/here", "/value/1024/here"],
  ["{/var:1,var}", "/v/value"],
  ["{/list}", "/red,green,blue"],
  ["{/list*}", "/red/green/blue"],
  ["{/list*,path:4}", "/red/green/blue/%2Ffoo"],
  ["{/keys}", "/semi,%3B,dot,.,comma,%2C"],
  ["{/keys*}", "/semi=%3B/dot=./comma=%2C"],
  ["{;who}", ";who=fred"],
  ["{;half}", ";half=50%25"],
  ["{;empty}", ";empty"],
  ["{;v,empty,who}", ";v=6;empty;who=fred"],
  ["{;v,undef,who}", ";v=6;who=fred"],
  ["{;x,y}", ";x=1024;y=768"],
  ["{;x,y,empty}", ";x=1024;y=768;empty"],
  ["{;hello:5}", ";hello=Hello"],
  ["{;list}", ";list=red,green,blue"],
  ["{;list*}", ";list=red;list=green;list=blue"],
  ["{;keys}", ";keys=semi,%3B,dot,.,comma,%2C"],
  ["{;keys*}", ";semi=%3B;dot=.;comma=%2C"],
  ["{?who}", "?who=fred"],
  ["{?half}", "?half=50%25"],
  ["{?x,y}", "?x=1024&y=768"],
  ["{?x,y,empty}", "?x=1024&y=768&empty="],
  ["{?x,y,undef}", "?x=1024&y=768"],
  ["{?var:3}", "?var=val"],
  ["{?list}", "?list=red,green,blue"],
  ["{?list*}", "?list=red&list=green&list=blue"],
  ["{?keys}", "?keys=semi,%3B,dot,.,comma,%2C"],
  ["{?keys*}", "?semi=%3B&dot=.&comma=%2C"],
  ["{&who}", "&who=fred"],
  ["{&half}", "&half=50%25"],
  ["?fixed=yes{&x}", "?fixed=yes&x=1024"],
  ["{&x,y,empty}", "&x=1024&y=768&empty="],
  ["{&var:3}", "&var=val"],
  ["{&list}", "&list=red,green,blue"],
  ["{&list*}", "&list=red&list=green&list=blue"],
  ["{&keys*}", "&semi=%3B&dot=.&comma=%2C"]
]

describe("UriTemplate.expand", () => {
  for (const [template, uri] of examples) {
    it(`RES-3: ${template} is ${uri}`, () => {
      assert.strictEqual(UriTemplate.expand(make(template), values), uri)
    })
  }

  it("RES-3: literals are as they were written, apart from characters that a URI cannot have", () => {
    assert.strictEqual(UriTemplate.expand(make("a://Zü/%c3%9f?b=.*'(1)#x"), {}), "a://Z%C3%BC/%C3%9F?b=.*'(1)#x")
  })

  it("only own members are values, and names can be any", () => {
    assert.strictEqual(UriTemplate.expand(make("x{constructor}{__proto__}"), {}), "x")
    assert.strictEqual(UriTemplate.expand(make("{__proto__}"), JSON.parse("{\"__proto__\":\"a\"}")), "a")
  })

  it("a length counts characters, and half a surrogate pair does not throw", () => {
    assert.strictEqual(UriTemplate.expand(make("{x:2}"), { x: "😀😀😀" }), "%F0%9F%98%80%F0%9F%98%80")
    assert.strictEqual(UriTemplate.expand(make("{x}{+x}"), { x: "\ud83d" }), "%EF%BF%BD%EF%BF%BD")
  })

  it("reserved expansion keeps percent-encodings", () => {
    assert.strictEqual(UriTemplate.expand(make("{+x}"), { x: "%2f%zz%" }), "%2f%25zz%25")
  })
})

describe("UriTemplate.parse", () => {
  const names = (template: string) => make(template).variables

  it("names the variables, each once", () => {
    assert.deepStrictEqual(names("a{b}c{/d,e*}{?b,f:3}{%20x.y_1}"), ["b", "d", "e", "f", "%20x.y_1"])
    assert.deepStrictEqual(names("none"), [])
    assert.isTrue(UriTemplate.isUriTemplate(make("{a}")))
    assert.isFalse(UriTemplate.isUriTemplate({ template: "a" }))
  })

  for (
    const [template, position] of [
      ["a{b", 1],
      ["a}b", 1],
      ["{}", 1],
      ["{+}", 2],
      ["{a,}", 3],
      ["{,a}", 1],
      ["{a b}", 1],
      ["{a-b}", 1],
      ["{.a..b}", 2],
      ["{a{b}}", 1],
      ["{a:0}", 1],
      ["{a:10000}", 1],
      ["{a:}", 1],
      ["{a*:3}", 1],
      ["{a%2}", 1],
      ["{=a}", 1],
      ["{|a}", 1],
      ["{!a}", 1],
      ["{@a}", 1],
      ["{x}a b", 4],
      ["a%b", 1],
      ["a\"", 1],
      ["a\\b", 1],
      ["a\u0000", 1],
      ["a<b>", 1],
      ["a^", 1],
      ["a\ud800", 1],
      ["é\u007f", 1]
    ] as const
  ) {
    it(`RES-3: ${JSON.stringify(template)} is no template`, () => {
      const result = UriTemplate.parse(template)
      assert.isTrue(Result.isFailure(result) && result.failure.position === position, JSON.stringify(result))
    })
  }

  it("B12: a template has a length", () => {
    assert.isTrue(Result.isFailure(UriTemplate.parse("a".repeat(9_000))))
  })
})

describe("UriTemplate.match", () => {
  for (const [template, uri] of examples) {
    // With a dot as the separator, a dot in a value separates too.
    if (template === "X{.keys*}") continue
    it(`RES-3: what ${template} finds in ${uri} expands to it again`, () => {
      const found = match(template, uri)
      assert.isDefined(found)
      assert.strictEqual(UriTemplate.expand(make(template), found ?? {}), uri)
    })
  }

  it("lists and maps", () => {
    const keys = { semi: ";", dot: ".", comma: "," }
    const list = ["red", "green", "blue"]
    for (const operator of ["", "/", ".", ";", "?", "&"]) {
      for (
        const [template, value] of [[`{${operator}v*}`, keys], [`{${operator}v*}`, list], [
          `{${operator}v}`,
          list
        ]] as const
      ) {
        if (template === "{.v*}" && value === keys) continue
        assert.deepStrictEqual(
          match(template, UriTemplate.expand(make(template), { v: value })),
          { v: value },
          template
        )
      }
    }
  })

  const matches: ReadonlyArray<readonly [template: string, uri: string, found: UriTemplate.Values | undefined]> = [
    // Reserved expansion and slashes.
    ["file://{+path}", "file:///a/b/c.txt", { path: "/a/b/c.txt" }],
    ["file://{+path}/{name}", "file:///a/b/c", { path: "/a/b", name: "c" }],
    ["x://{id}", "x://a/b", undefined],
    ["x://{id}", "x://a?b", undefined],
    ["x://{id}", "x://a#b", undefined],
    ["x://{id}/{b}", "x://a/b/c", undefined],
    // Literals.
    ["s://h?q={q}", "s://h?q=1", { q: "1" }],
    ["s://h?q={q}", "s://hhq=1", undefined],
    ["s://h?q={q}", "s://h", undefined],
    ["s://a.b/{x}", "s://aXb/1", undefined],
    ["s://a+(b)*$/{x}", "s://a+(b)*$/1", { x: "1" }],
    ["s://é/{x}", "s://%C3%A9/1", { x: "1" }],
    ["s://é/{x}", "s://%c3%a9/1", { x: "1" }],
    ["s://é/{x}", "s://é/1", { x: "1" }],
    ["s://%c3%a9/{x}", "s://é/é", { x: "é" }],
    ["S://{x}", "s://1", undefined],
    ["s://a", "s://a", {}],
    ["s://a", "s://ab", undefined],
    ["s://a", "s://", undefined],
    ["aa{x}aa", "aaa", undefined],
    ["{x}aa", "aaaa", { x: "aa" }],
    // Decoding is once, after matching, and guards nothing.
    ["x://{id}", "x://a%2Fb", { id: "a/b" }],
    ["x://{id}", "x://..%2F..%2Fetc%2Fpasswd", { id: "../../etc/passwd" }],
    ["x://{id}", "x://%2e%2e", { id: ".." }],
    ["x://{id}", "x://%00%5C", { id: "\u0000\\" }],
    ["x://{id}", "x://%252F", { id: "%2F" }],
    ["x://{id}F", "x://a%2F", undefined],
    ["x://{id}F{b}", "x://a%2F", undefined],
    ["x://{a}{b}", "x://%C3%A9", { a: "é" }],
    ["x://{id}", "x://%", undefined],
    ["x://{id}", "x://%2", undefined],
    ["x://{id}", "x://%zz", undefined],
    ["x://{id}", "x://%FF", undefined],
    ["x://{id}", "x://%C0%AF", undefined],
    ["x://{id}", "x://a b", undefined],
    ["x://{id}", "x://a\nb", undefined],
    // Nothing there.
    ["x://{id}", "x://", {}],
    ["x://a{/b}{?c}{#d}", "x://a", {}],
    ["x://a{/b}{?c}{#d}", "x://a/?c=#", { b: "", c: "", d: "" }],
    ["x://a{?c}", "x://a?", undefined],
    ["x://a{?c}", "x://a?c", undefined],
    // Queries.
    ["s://h{?a,b}", "s://h?b=2&a=1", { a: "1", b: "2" }],
    ["s://h{?a,b}", "s://h?b=2", { b: "2" }],
    ["s://h{?a,b}", "s://h?a=1&c=2", undefined],
    ["s://h{?a,b}", "s://h?a=1&a=2", undefined],
    ["s://h{?a,b}", "s://h?a=1&", undefined],
    ["s://h{?a}{&b}", "s://h?b=2&a=1", { a: "1", b: "2" }],
    ["s://h?a=1{&b}", "s://h?a=1&b=2", { b: "2" }],
    ["s://h?a={a}{&b}", "s://h?a=1&b=2", { a: "1", b: "2" }],
    ["s://h{?a}", "s://h?a=/x?y:z@", { a: "/x?y:z@" }],
    ["s://h{?a,m*}", "s://h?x=1&a=2&y=3", { a: "2", m: { x: "1", y: "3" } }],
    ["s://h{?m*}", "s://h?x=1&x=2", undefined],
    ["s://h{?m*}", "s://h?m=1&m=2", { m: ["1", "2"] }],
    ["{+path}{?q}{#f}", "/a/b?q=1#2", { path: "/a/b", q: "1", f: "2" }],
    // Several variables, and several readings.
    ["{a}:{b}", "1:2", { a: "1", b: "2" }],
    ["{lat},{lon}", "1.5,-2", { lat: "1.5", lon: "-2" }],
    ["{name}.{ext}", "a.b.c", { name: "a.b", ext: "c" }],
    ["{.a}", ".b.c", { a: "b.c" }],
    ["{id}{;v}", "a;v=1", { id: "a", v: "1" }],
    ["{x,y}", "a,b,c", { x: "a", y: ["b", "c"] }],
    ["{+x,y}", "a,b,c", { x: "a", y: "b,c" }],
    ["{/a*,b}", "/1/2/3", { a: ["1", "2"], b: "3" }],
    ["{/a}", "/1/2", undefined],
    ["x://{id}", "x://user:1@host", { id: "user:1@host" }],
    ["{x}/{x}", "a/a", { x: "a" }],
    ["{x}/{x}", "a/b", undefined],
    ["{x:1}/{x}", "a/abc", { x: "abc" }],
    ["{x:1}/{x}", "b/abc", undefined],
    ["{x:1}/{x:2}", "a/ab", { x: "ab" }],
    ["{x:2}", "abc", undefined],
    ["{x:2}{y}", "abc", { x: "ab", y: "c" }],
    ["{x:2}{y}", "%C3%A9%F0%9F%98%80%C3%9F", { x: "é😀", y: "ß" }],
    ["{x:1}", "%F0%9F%98%80", { x: "😀" }]
  ]
  for (const [template, uri, found] of matches) {
    it(`RES-3 B12: ${template} ${found === undefined ? "does not match" : "matches"} ${JSON.stringify(uri)}`, () => {
      assert.deepStrictEqual(match(template, uri), found)
    })
  }

  it("names of variables and of map keys can be any", () => {
    const found = match("{__proto__}{?m*}", "a?__proto__=b")
    assert.deepStrictEqual(Object.keys(found ?? {}), ["__proto__", "m"])
    assert.deepStrictEqual(Object.entries(found?.["m"] ?? {}), [["__proto__", "b"]])
  })

  const wellFormed = Schema.String.check(Schema.isPattern(/^(?:[^\ud800-\udfff]|[\ud800-\udbff][\udc00-\udfff])+$/))

  it.prop("match inverts expand for strings, in every kind of expression", [
    Schema.Struct({ a: wellFormed, b: wellFormed, c: wellFormed, d: wellFormed, e: wellFormed, f: wellFormed })
  ], ([strings]) => {
    const template = make("x://é/{a}/lit{/b};{c}.x{;d}{?e,f}")
    assert.deepStrictEqual(UriTemplate.match(template, UriTemplate.expand(template, strings)), Option.some(strings))
  })

  it.prop("match inverts expand for lists and maps that are exploded", [
    Schema.Struct({
      a: Schema.Array(wellFormed),
      b: Schema.Record(wellFormed, wellFormed),
      c: Schema.Array(wellFormed)
    })
  ], ([{ a, b, c }]) => {
    const template = make("x:{/a*}{?b*}{#c*}")
    const uri = UriTemplate.expand(template, { a, b })
    const present = { ...(a.length > 0 ? { a } : {}), ...(Object.keys(b).length > 0 ? { b } : {}) }
    const found = Option.getOrUndefined(UriTemplate.match(template, uri))
    // A map whose only name is the variable's own is written as a list is.
    if (Object.keys(b).join() !== "b") assert.deepStrictEqual(found, present)
    const all = UriTemplate.expand(template, { a, b, c: c.map((item) => item.replaceAll("%", "")) })
    assert.isTrue(Option.isSome(UriTemplate.match(template, all)))
  })

  const pieces = Schema.Array(Schema.Literals(["a", "/", ",", ".", ";", "?", "&", "=", "#", "%2F", "x", "y", ":", "é"]))
  const expressions = Schema.Array(
    Schema.Literals([
      "{a}",
      "{b}",
      "{+c}",
      "{d,e}",
      "{/f*}",
      "{?g,h*}",
      "{&i}",
      "{.j}",
      "{;k}",
      "{#l}",
      "{m:2}",
      "x",
      "/"
    ])
  )

  it.prop("what match finds expands to a URI that the template matches", [expressions, pieces], ([parts, uri]) => {
    const template = make([...new Set(parts)].join(""))
    const found = Option.getOrUndefined(UriTemplate.match(template, uri.join("")))
    if (found === undefined) return
    assert.isTrue(Option.isSome(UriTemplate.match(template, UriTemplate.expand(template, found))))
  }, { arbitrary: { runs: 500 } })

  const long = 100_000
  for (
    const [template, uri] of [
      ["x://{id}", `x://${"a".repeat(long)}`],
      ["x://{id}", `x://${"a".repeat(long)}/`],
      ["x://{a}{b}{c}{d}!{e}", `x://${"a".repeat(long)}`],
      ["x://{a}-{b}-{c}-{d}!{e}", `x://${"-".repeat(long)}`],
      ["x://{+a}/{b}", `x://${"/".repeat(long)}`],
      ["x://{+a}{+b}{+c}z{d}", `x://${"/%2F".repeat(long / 4)}`],
      ["x://h{/p*}", `x://h${"/a".repeat(long / 2)}`],
      ["x://h{/p*}", `x://h${"/".repeat(long)}`],
      ["x://h{?p*}", `x://h?${"p=a&".repeat(long / 4)}p=`],
      ["x://h{?p*}", `x://h?${"&".repeat(long)}`],
      ["x://h{?p}", `x://h?p=${",".repeat(long)}`],
      ["x://{id}", `x://${"%c3%a9".repeat(long / 6)}`],
      ["x://{id}", `x://${"é".repeat(long / 2)}`],
      ["x://{id}", `x://${"%".repeat(long)}`],
      ["x://{x:5}", `x://${"a".repeat(long)}`],
      ["x://{list*}", `x://${"a,".repeat(25_000)}`]
    ] as const
  ) {
    it(`B12: ${template} and ${uri.slice(0, 20)}... of ${uri.length} characters in linear time`, () => {
      const parsed = make(template)
      let best = Infinity
      for (let i = 0; i < 5; i++) {
        const start = performance.now()
        UriTemplate.match(parsed, uri)
        best = Math.min(best, performance.now() - start)
      }
      // The aim is 10 ms. Quadratic time would be seconds, and a machine that is busy with other tests tens of them.
      assert.isBelow(best, 500)
    })
  }
})
