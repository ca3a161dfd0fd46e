/** Words of which calendars make their titles. None of them asks anyone to do something, alone or in a row. */
const WORDS = new Set(
  [
    "account activity adp advance average balance bank barrel beige benchmark bill board boe boc boj bond book budget building",
    "business capacity capital cash cb chair chain challenger change chicago china claims clearing commodity composite conditions",
    "conference confidence construction consumer consumption continuing core corporate cost council cpi credit crude current data",
    "debt decision deficit deflator deliveries demand deposit discount district durable earnings ecb ecofin economic economy",
    "education eia election empire employment energy equipment euro eurogroup europe exchange existing expectations expenditure",
    "exports facility factory fed federal final finance financial fiscal flash fomc food foreign freight fuel funds gas gdp german",
    "gfk global gold goods government governor growth hearing heating holiday home hourly hours household housing ifo imf imports",
    "income index indicator indicators industrial industry inflation initial interest inventories inventory investment investor ism ivey",
    "jobless jobs job jolts labor labour leading lending loan loans machine manufacturing main market medium meeting member meetings",
    "memorial minimum minutes mortgage ministers monetary money month monthly mpc mpr national natural nab nahb net new nfib nfp",
    "non-farm nonfarm nonmanufacturing number oil opec open opinion optimism orders outlook auction overtime panel payrolls pce pending",
    "people permits personal philly policy pmi ppi preliminary prelim press price prices private producer production productivity",
    "profits projections public purchases quarter quarterly rate rates refinancing ratio rba rbnz real redbook refunding report reserve reserves",
    "retail review revised richmond rightmove russell sales savings secretary sector securities sentiment services small snb",
    "spare speaks speech spending stability starts state statement stock stocks storage summary summit supply survey surplus tankan",
    "target tertiary testimony thanksgiving tic total trade trend trimmed treasury truck unemployment unit uom us usda utilization",
    "vehicle vote votes wage wages week weekly westpac wholesale workers world yield zew a and of on the in for to vs ex",
    "m/m q/q y/y mom qoq yoy sa nsa s.a. cad chf cny eur gbp jpy nzd aud usd uk eu january february march april may june july",
    "august september october november december jan feb mar apr jun jul aug sep oct nov dec",
  ].flatMap((line) => line.split(" ")),
);

/** Of bonds, such as 30-y. */
const TERM = /^\d{1,2}-(?:m|y|yr)$/;

const MAX_WORDS = 10;

/**
 * The title of an event in words of a calendar. The author of a calendar must not instruct the model, in any
 * language, so that other words, such as names, are left out.
 */
export function wordsOfTitle(title: string): string {
  const words = title.split(/[\s(),;:|"]+/).filter((word) => {
    const plain = word.toLowerCase();
    return WORDS.has(plain) || TERM.test(plain);
  });
  return words.slice(0, MAX_WORDS).join(" ") || "other event";
}
