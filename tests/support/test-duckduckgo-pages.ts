// Pages in the format of DuckDuckGo's HTML search, written by hand. For tests only.

/** Three results, one of them twice; one advertisement; one link without a snippet. */
export const DUCKDUCKGO_PAGE = `<!DOCTYPE html><html><head><title>streams at DuckDuckGo</title></head><body>
<form id="search_form" action="/html/" method="post"><input name="q" value="streams"></form>
<div id="links" class="results">
  <div class="result results_links result--ad">
    <h2 class="result__title"><a rel="nofollow" class="result__a"
      href="https://duckduckgo.com/y.js?ad_domain=ads.example&amp;u3=x">Buy streams</a></h2>
    <a class="result__snippet" href="https://duckduckgo.com/y.js?x">Cheap streams.</a>
  </div>
  <div class="result results_links results_links_deep web-result">
    <h2 class="result__title"><a rel="nofollow" class="result__a"
      href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fexample.com%2Fstreams%3Fa%3D1%26b%3D2&amp;rut=0a1b">Streams &amp; <b>pipes</b></a></h2>
    <a class="result__url" href="#">example.com/streams</a>
    <a class="result__snippet" href="#">All about <b>streams</b> &amp; &lt;pipes&gt;.</a>
  </div>
  <div class="result web-result">
    <h2><a href='https://example.org/direct' class='result__a js-result'>A direct link</a></h2>
  </div>
  <div class="result web-result">
    <h2><a class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fexample.com%2Fstreams%3Fa%3D1%26b%3D2">Streams again</a></h2>
    <div class="result__snippet">The same page.</div>
  </div>
</div></body></html>`;

export const NO_RESULTS_PAGE = `<!DOCTYPE html><html><body><div class="result result--no-result">
<div class="no-results">No results found for <b>xyzzy</b>.</div></div></body></html>`;

export const BOT_CHECK_PAGE = `<!DOCTYPE html><html><body><form id="challenge-form" action="//duckduckgo.com/anomaly.js?sv=html">
<div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div></form></body></html>`;
